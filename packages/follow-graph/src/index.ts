// What the package offers; its other files are its own.

export { InvariantError } from './assert.ts'
export { EdgeRuns } from './graph/edge-run.ts'
export {
  createFollowGraph,
  type FollowGraphHandle,
  loadFollowGraph,
  openFollowGraph,
  type SharedFollowGraph,
} from './graph/follow-graph.ts'
export { type ImageChunk, ImageError, ImageReader, sealImage } from './graph/image-chunks.ts'
export type {
  EdgeRun,
  FollowGraphReader,
  FollowGraphWriter,
  NewFollowGraph,
} from './graph/types.ts'
export { compareUids, keyOf } from './graph/uid-order.ts'
export { createSharedInts, SharedInts } from './shared-memory/shared-ints.ts'
export { forEachOpenFollower, type OpenFollowersContext } from './timeline/open-followers.ts'
export {
  createTimelines,
  newestFirst,
  openTimelines,
  type TimelinesHandle,
} from './timeline/rings.ts'
export type {
  TimelineEntry,
  TimelinePosition,
  TimelineReader,
  TimelineSlice,
  TimelineWriter,
} from './timeline/types.ts'
