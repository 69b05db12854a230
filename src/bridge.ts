// What the serving side and the ingest thread say to each other. The ingest thread owns the only
// writer connection; both share memory for reading, so only requested changes and reports go
// through here, as small cloneable messages.

import type { MessagePort } from 'node:worker_threads'
import type { ActorTableHandle } from './graph/actor-table.ts'
import type { FollowGraphHandle } from './graph/follow-graph.ts'
import type { StreamStatus } from './jetstream/consumer.ts'
import type { TimelinesHandle } from './timeline/rings.ts'

/** A request's `id` is echoed in its reply. */
export type WriterRequest = { id: number; did: string } & (
  | { kind: 'member-seen' }
  | { kind: 'mute'; subjectDid: string; onlyReposts?: boolean; onlyQuoteposts?: boolean }
  | { kind: 'unmute'; subjectDid: string }
  /** `list` and `uri` are at-URIs by DID. */
  | { kind: 'mute-list' | 'unmute-list'; list: string }
  /** `root` is an at-URI by DID. */
  | { kind: 'mute-thread' | 'unmute-thread'; root: string }
  | { kind: 'bookmark'; uri: string; cid: string }
  | { kind: 'unbookmark'; uri: string }
  /** `draft` is app.bsky.draft.defs#draft as JSON. */
  | { kind: 'create-draft' | 'update-draft'; draftId: string; draft: string }
  | { kind: 'delete-draft'; draftId: string }
  /** app.bsky.actor.defs#preferences as JSON. */
  | { kind: 'actor-preferences'; preferences: string }
  /** Milliseconds since 1970. */
  | { kind: 'notifications-seen'; seenAt: number }
  | { kind: 'notification-priority'; priority: boolean }
  /** As `knownPreferences` gives it. */
  | { kind: 'notification-preferences'; patch: Record<string, unknown> }
  /** `subject` is a DID. */
  | { kind: 'activity-subscription'; subject: string; post: boolean; reply: boolean }
  /** DIDs of labelers that the member's requests name. */
  | { kind: 'labelers-named'; labelers: string[] }
  /** What was shown may have labels of these: at-URIs and DIDs. */
  | { kind: 'labels-wanted'; labelers: string[]; subjects: string[] }
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
  /** What the writer touched, for `NoteReader`. */
  notes: SharedArrayBuffer
}

/** A report of the ingest thread, about once a second. */
export type IngestStatus = {
  stream: StreamStatus
  actors: number
  follows: number
  timelines: number
  /** Jobs against other people's servers that wait or run; 20,000 stands for as many or more. */
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
  /** First on a new line, after the latest news. */
  | { kind: 'connected' }

export type IngestOrder =
  | { kind: 'request'; request: WriterRequest }
  /** A line to another serving thread: requests come in there, replies and news go out. */
  | { kind: 'connect'; port: MessagePort }
  | { kind: 'stop' }
