// What the serving side and the ingest thread say to each other. The ingest thread owns the only
// writer connection; both share memory for reading, so only requested changes and reports go
// through here, as small cloneable messages.

import type { ActorTableHandle } from './graph/actor-table.ts'
import type { FollowGraphHandle } from './graph/follow-graph.ts'
import type { StreamStatus } from './jetstream/consumer.ts'
import type { TimelinesHandle } from './timeline/rings.ts'

/** A request's `id` is echoed in its reply. */
export type WriterRequest = { id: number; did: string } & (
  | { kind: 'member-seen' }
  | { kind: 'mute'; subjectDid: string }
  | { kind: 'unmute'; subjectDid: string }
  /** Something shown to a member is missing: look for it in the background. Each an at-URI or a DID. */
  | { kind: 'wanted'; uris: string[]; dids: string[] }
)

export type WriterReply =
  | { id: number; ok: true }
  | { id: number; ok: false; error: string; message: string }

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never

/** The serving side's view of it: resolves when the change is committed and visible. */
export interface Writer {
  send(request: WithoutId<WriterRequest>): Promise<void>
}

/** What both sides read: handles on shared buffers, opened on the reading side. */
export type SharedMemory = {
  actors: ActorTableHandle
  graph: FollowGraphHandle
  timelines: TimelinesHandle
}

/** A report of the ingest thread, about once a second. */
export type IngestStatus = {
  stream: StreamStatus
  actors: number
  follows: number
  timelines: number
  /** Jobs against other people's servers that are waiting or running. */
  jobs: number
  openGaps: number
  /** From a frame's arrival to its visibility, in milliseconds, over the last report's events. */
  visibleMs: { p50: number; p99: number; count: number }
}

export type IngestMessage =
  | { kind: 'ready'; memory: SharedMemory }
  /** An operator's mistake, to be shown as a ConfigError. */
  | { kind: 'refused'; message: string; hint: string }
  | { kind: 'reply'; reply: WriterReply }
  | { kind: 'status'; status: IngestStatus }
  | { kind: 'configured-members'; dids: string[] }

export type IngestOrder = { kind: 'request'; request: WriterRequest } | { kind: 'stop' }
