// What the serving threads ask of the writer about programs' timelines.

import type { FeatureRequest } from '../../bridge/messages.ts'
import type { GraphEdit, GraphOutcome } from './store/programs/graph-edits.ts'
import type { NewServiceToken } from './store/programs/service-tokens.ts'
import type { PostOutcome, PostPlan, TimelinePost } from './store/programs/timeline-posts.ts'
import type { SharedTimeline } from './store/shared-timelines.ts'

/** Each is one transaction. */
export type TimelineRequest =
  | { kind: 'post'; posts: TimelinePost[] }
  | { kind: 'store-cursor'; cursor: CursorRequest }
  | { kind: 'graph'; edit: GraphEdit }
  /** Determines the outcomes of posts to a shared timeline without writing anything. */
  | { kind: 'plan-posts'; timeline: SharedTimeline; posts: TimelinePost[] }
  /** Entries of a shared timeline's log, on top of entry `from`. */
  | {
      kind: 'follow-log'
      timeline: SharedTimeline
      from: number
      entries: { number: number; entry: string }[]
    }

/** A member, or a program by the name of its token. */
export type CursorReader = { did: string } | { token: string }

/** A reader's position; `timeline` is its key, with one number for each timeline that it merges. */
export type CursorRequest = {
  reader: CursorReader
  timeline: string
  position: { isForward: boolean; at: readonly number[] }
}

/** `full`: the reader has as many as may be; `no-reader`: no member or token any more. */
export type CursorOutcome = 'stored' | 'full' | 'no-reader'

/** One per post, in order; one for anything else. */
export type TimelineOutcomes = PostOutcome[] | GraphOutcome[] | PostPlan[] | CursorOutcome[]

/** The operator's. */
export type TokenRequests = {
  'timelines/create-token': NewServiceToken
  'timelines/revoke-token': { name: string }
}

export type TimelineWriter = {
  /** Resolves once it is committed, with one outcome per post. */
  writeTimelines(
    request: Exclude<TimelineRequest, { kind: 'graph' | 'plan-posts' | 'store-cursor' }>,
  ): Promise<PostOutcome[]>
  /** Returns the outcomes that these posts would have. */
  planPosts(request: Omit<TimelineRequest & { kind: 'plan-posts' }, 'kind'>): Promise<PostPlan>
  /** Resolves once it is committed or refused. */
  editGraph(edit: GraphEdit): Promise<GraphOutcome>
  /** Stores a reader's position in a timeline. */
  storeCursor(cursor: CursorRequest): Promise<CursorOutcome>
}

/** The writer as seen by a serving thread. */
export function timelineWriter(ingest: {
  askFeature(request: { did: string } & FeatureRequest): Promise<unknown>
}): TimelineWriter {
  const send = async <T>(request: TimelineRequest) =>
    (await ingest.askFeature({ kind: 'timelines/write', did: '', body: request })) as T
  return {
    writeTimelines: send,
    async planPosts(posts) {
      const [plan] = await send<PostPlan[]>({ kind: 'plan-posts', ...posts })
      return plan!
    },
    async editGraph(edit) {
      const [outcome] = await send<GraphOutcome[]>({ kind: 'graph', edit })
      return outcome!
    },
    async storeCursor(cursor) {
      const [outcome] = await send<CursorOutcome[]>({ kind: 'store-cursor', cursor })
      return outcome!
    },
  }
}
