// The messages between the serving side and the ingest thread. The ingest thread has the only writer
// connection; both sides read from shared memory, so only requested changes and reports are sent here, as
// small cloneable messages.

import type { MessagePort } from 'node:worker_threads'
import type { FollowGraphHandle, TimelinesHandle } from '@slipstream/follow-graph'
import type { StreamStatus } from '@slipstream/jetstream'
import type { Counted } from '../base/obs/counts.ts'
import type { HistogramCounts } from '../base/obs/histogram.ts'
import type { ActorTableHandle } from '../data/graph/actor-table.ts'
import type { InviteRequest } from '../data/store/members/invites.ts'
import type { ModerationAct } from '../data/store/moderation/moderation-log.ts'
import type { FollowLine } from '../data/store/records/follows.ts'
import type { GapCounts } from '../data/store/stream/gaps.ts'
import type { TrafficStatus } from '../sources/traffic.ts'

/** A request's `id` is echoed in its reply. */
export type WriterRequest = {
  id: number
  did: string
} & (PrivateAct | OtherAct | FeatureRequest)

/** `feature/what`. */
export type FeatureKind = `${string}/${string}`

/** A request of a feature's serving part to its part in the ingest thread (ingest/feature.ts). */
export type FeatureRequest = { kind: FeatureKind; body: unknown }

/** Changes to a member's private state. */
export type PrivateAct =
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
  /** In the form returned by `knownPreferences`. */
  | { kind: 'notification-preferences'; patch: Record<string, unknown> }
  /** `subject` is a DID. */
  | { kind: 'activity-subscription'; subject: string; post: boolean; reply: boolean }

type OtherAct =
  /** `from`: one of the network's addresses, as counted by the limits for newcomers. */
  | { kind: 'member-seen'; from?: string | undefined }
  /** DIDs of labelers named in the member's requests. */
  | { kind: 'labelers-named'; labelers: string[] }
  /** Records just shown may have labels by these labelers. Subjects are at-URIs and DIDs. */
  | { kind: 'labels-requested'; labelers: string[]; subjects: string[] }
  /**
   * Something shown to a member is missing and should be fetched in the background. Each is an
   * at-URI or a DID.
   */
  | { kind: 'fetch-requested'; uris: string[]; dids: string[] }
  /** The account's key has changed; other threads may still know the old one. */
  | { kind: 'identity-changed' }
  /**
   * The directory's answer about a member at `asOf`: JSON; null if it does not know the account.
   */
  | { kind: 'identity-found'; identity: string | null; asOf: number }
  /** Makes the account a member; `code` in the form returned by readInviteCode. */
  | { kind: 'redeem-invite'; code: string }

export type WriterReply =
  /** `result`: a feature's. */
  | { id: number; ok: true; result?: unknown }
  | { id: number; ok: false; error: string; message: string }

/** The operator's requests, from the command line or over HTTP. */
export type OperatorRequest =
  | FeatureRequest
  | { kind: 'add-member' | 'remove-member'; did: string }
  | ({ kind: 'create-invite' } & InviteRequest)
  | { kind: 'disable-invite'; code: string }
  /** A member's document (ingest/indexing/member-state/document.ts) as JSON. */
  | { kind: 'import-state'; document: string }
  | ({ kind: 'moderate' } & ModerationDecision)
  /** Checked lines: a slice small enough not to delay the stream for long. */
  | { kind: 'import-follows'; lines: FollowLine[]; isInScopeOnly: boolean }

export type ModerationDecision = {
  act: ModerationAct
  /** As parsed by data/store/moderation/takedowns.ts; for a ban, a DID. */
  subject: string
  by: string
  reason: string
  /** The moderators' own reference. */
  ref?: string | undefined
  /** CIDs of blobs that are hidden and restored together with it. */
  blobs?: readonly string[] | undefined
  /** The tag, if the act is about one. */
  tag?: string | undefined
}

export type OperatorReply =
  | { id: number; ok: true; figures: Record<string, number> }
  | { id: number; ok: false; error: string; message: string }

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never

/** The writer as seen by the serving side: resolves when the change is committed and visible. */
export interface Writer {
  send(request: WithoutId<WriterRequest>): Promise<void>
}

/** Memory that both sides read: handles on shared buffers, opened by the reading side. */
export type SharedMemory = {
  actors: ActorTableHandle
  graph: FollowGraphHandle
  timelines: TimelinesHandle
  /** The rows that the writer touched, for `InvalidationReader`. */
  invalidations: SharedArrayBuffer
  /** The serving threads' request counters (base/obs/request-counters.ts). */
  requests: SharedArrayBuffer
  /** By feature. */
  features?: Readonly<Record<string, SharedArrayBuffer>>
}

export type ColdStartStage = 'follows' | 'recent' | 'older' | 'rest' | 'done'

/**
 * Progress of a member's cold start: of those in progress, and for some minutes of those that are
 * complete. Stages overlap; `stage` is the first that is not complete: `follows`, reading the
 * follow list; `recent`, the last hours of all accounts on it; `older`, older posts until the
 * timeline holds its target; `rest`, follow lists, profiles, gates, blocks and lists of all
 * accounts on it, and the member's own repository.
 */
export type ColdStartProgress = {
  did: string
  /** Milliseconds since 1970; after a restart, the time of the restart. */
  startedAt: number
  finishedAt: number | undefined
  stage: ColdStartStage
  /** The mirror that was read because the member's PDS is away. */
  mirror?: string | undefined
  /**
   * `done`: number of follows known so far; `total`: the same once the list is complete, undefined
   * before.
   */
  follows: { done: number; total: number | undefined }
  /** Replay of the last hours. `listed`: read from each author's server instead of the stream. */
  replay: {
    state: 'waiting' | 'running' | 'done' | 'listed'
    /** Position of the slowest socket, microseconds since 1970; undefined if none is running. */
    cursorUs: number | undefined
    /** 0 to 100, by the time replayed. */
    percent: number
  }
  /** Followed accounts whose recent feed was read, or is not needed for the target. */
  authors: { done: number; total: number }
  /** Followed accounts with nothing left to fetch. */
  complete: { done: number; total: number }
  /** Followed accounts beyond the member's budget, which are fetched slowly. */
  later: number
  /** Items that the member's timeline can show now, counted up to `timelineTarget`. */
  timelineItems: number
  timelineTarget: number
}

/** What a feature reads before the live stream begins; until it is done, there are no live events. */
export type BeforeLive = {
  /** What is read, in one word. */
  what: string
  /** 0 to 100. */
  percent: number
  /** Progress, for the operator. */
  text: string
  /** Why it does not go on; `fix`: what the operator must do, if it does not resume by itself. */
  waiting: { message: string; fix: string | undefined } | undefined
}

/** The ingest thread's report, about once a second. */
export type IngestStatus = {
  stream: StreamStatus & {
    /**
     * Milliseconds since the last event or, before the first, since the connection began; undefined
     * if not connected.
     */
    quietMs: number | undefined
    /** Milliseconds without a connection, at most since the start; undefined if connected. */
    awayMs?: number | undefined
  }
  actors: number
  follows: number
  timelines: number
  /** Waiting and running jobs against other servers; capped at 20,000. */
  jobs: number
  /** Open or repairing. */
  openGaps: number
  coldStarts: ColdStartProgress[]
  /** undefined once the stream is live. */
  beforeLive?: BeforeLive | undefined
  /** Gaps in the received events, by state; `closed` counts those still remembered. */
  gaps: GapCounts
  /**
   * From a frame's arrival to its visibility, in milliseconds, over the events since the last
   * report.
   */
  visibleMs: { p50: number; p99: number; count: number }
  members: number
  /** Labelers whose streams are paused for a while. */
  quarantinedLabelers?: number
  pulse: Pulse
  disk: DiskStatus
  /** Counts since the start, by label. */
  counts: Counted
  traffic?: TrafficStatus
  fanOut?: FanOutStatus
  /** Work that is pending but has made no progress for a minute or longer; normally empty. */
  stalls?: Stall[]
}

/** Since the start, unless noted otherwise. Posts that reached no timeline are not counted. */
export type FanOutStatus = {
  /** Whether there is a limit above which timelines omit posts. */
  isLossy: boolean
  /** Writes to timelines, and writes avoided by the limit. */
  total: { written: number; leftOut: number }
  lastHour: { written: number; leftOut: number }
  /** Number of open timelines that the largest fan-out reached. */
  largest: number
  seconds: HistogramCounts
  sizes: HistogramCounts
}

/** `what`: a phrase naming the waiting part and what it waits for. */
export type Stall = { what: string; seconds: number }

/**
 * What was given up for lack of disk space, in this order; each state includes those before it.
 * `full`: the last write found no space, and is retried.
 */
export type DiskState =
  | 'ok'
  | 'without-search'
  | 'strangers-pruned'
  | 'neighbours-pruned'
  | 'strangers-refused'
  | 'full'

export type DiskStatus = {
  /** Bytes of the database, without its free pages. */
  usedBytes: number
  /** Size up to which it may grow, given the settings and the free disk space. */
  capBytes: number
  /** Free disk space for an unprivileged user. */
  freeBytes: number
  state: DiskState
}

/** Rates and sizes over the last seconds. */
export type Pulse = {
  eventsPerSecond: number
  requestsPerSecond: number
  /** Responses that report a failure of this server. */
  failuresPerSecond: number
  /** Undefined if there were no requests. */
  answerMs: { p50: number | undefined; p99: number | undefined }
  /** The median over the last hour: with few readers, most seconds have no request. */
  hourAnswerMs: number | undefined
  /** Of the whole process. */
  memoryBytes: number
  /** The ingest thread's 99th percentile over the last second. */
  loopLagMs: number
  databaseBytes: number
  /** Bytes of the write-ahead log. */
  logBytes: number
  freeBytes: number
  totalBytes: number
}

export type IngestMessage =
  | { kind: 'ready'; memory: SharedMemory }
  /** An operator's mistake, to be shown as a ConfigError. */
  | { kind: 'refused'; message: string; hint: string }
  | { kind: 'reply'; reply: WriterReply }
  | { kind: 'operated'; reply: OperatorReply }
  | { kind: 'status'; status: IngestStatus }
  | { kind: 'configured-members'; dids: string[] }
  /** DIDs whose documents are reported to have changed. */
  | { kind: 'identities-changed'; dids: string[] }
  /** Sent once on a new line, after the latest news. */
  | { kind: 'connected' }

export type IngestOrder =
  | { kind: 'request'; request: WriterRequest }
  | { kind: 'operate'; id: number; request: OperatorRequest }
  /** A line to another serving thread: it receives requests and sends replies and news. */
  | { kind: 'connect'; port: MessagePort }
  | { kind: 'stop' }
