// What the serving side and the ingest thread say to each other. The ingest thread owns the only
// writer connection; both share memory for reading, so only requested changes and reports go
// through here, as small cloneable messages.

import type { MessagePort } from 'node:worker_threads'
import type { Counted } from '../base/obs/counts.ts'
import type { HistogramCounts } from '../base/obs/histogram.ts'
import type { NumberedPlaceChange } from '../data/engine/place-changes.ts'
import type { NumberedChange } from '../data/engine/private-changes.ts'
import type { LogEntry } from '../data/engine/timeline-log.ts'
import type { ActorTableHandle } from '../data/graph/actor-table.ts'
import type { FollowGraphHandle } from '../data/graph/follow-graph.ts'
import type { ArchiveProgress } from '../data/store/archives.ts'
import type { BsyncStream } from '../data/store/bsync-operations.ts'
import type { FollowLine } from '../data/store/follows.ts'
import type { GapCounts } from '../data/store/gaps.ts'
import type { GraphEdit, GraphOutcome } from '../data/store/graph-edits.ts'
import type { InviteWish } from '../data/store/invites.ts'
import type { ModerationAct } from '../data/store/moderation-log.ts'
import type { ServiceTokenWish } from '../data/store/service-tokens.ts'
import type { SharedTimeline } from '../data/store/shared-timelines.ts'
import type { PostOutcome, PostPlan, TimelinePost } from '../data/store/timeline-posts.ts'
import type { TimelinesHandle } from '../data/timeline/rings.ts'
import type { StreamStatus } from '../sources/jetstream/consumer-options.ts'

/** A request's `id` is echoed in its reply. */
export type WriterRequest = {
  id: number
  did: string
} & (PrivateAct | OtherAct)

/** What a member keeps with us. */
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
  /** As `knownPreferences` gives it. */
  | { kind: 'notification-preferences'; patch: Record<string, unknown> }
  /** `subject` is a DID. */
  | { kind: 'activity-subscription'; subject: string; post: boolean; reply: boolean }

export type OtherAct =
  /** `from`: one of the network's addresses, as limits of newcomers count them. */
  | { kind: 'member-seen'; from?: string | undefined }
  /**
   * Changes of the member's private state that the nodes share on an engine, ascending, on top of change `from`
   * (undefined: of none); afterwards this node has all up to `to`.
   */
  | {
      kind: 'shared-state'
      place: string
      from: number | undefined
      to: number
      changes: NumberedChange[]
    }
  /**
   * Changes of the place that nodes share, ascending, on top of change `from`; afterwards this node has all up to `to`.
   * That keys up to `goneUntil` are gone need not be remembered.
   */
  | {
      kind: 'shared-place'
      place: string
      from: number
      to: number
      changes: NumberedPlaceChange[]
      goneUntil: number
    }
  /** DIDs of labelers that the member's requests name. */
  | { kind: 'labelers-named'; labelers: string[] }
  /** What was shown may have labels of these: at-URIs and DIDs. */
  | { kind: 'labels-requested'; labelers: string[]; subjects: string[] }
  /** Something shown to a member is missing: look for it in the background. Each an at-URI or a DID. */
  | { kind: 'fetch-requested'; uris: string[]; dids: string[] }
  /** What was counted before we counted is to be asked for: posts.id and uids that are shown. */
  | { kind: 'counts-requested'; posts: number[]; actors: number[] }
  /** The account's key is another than the one that was known; other threads may know the old one. */
  | { kind: 'identity-changed' }
  /** What the directory said of a member when asked at `asOf`: JSON; null where it knows none. */
  | { kind: 'identity-found'; identity: string | null; asOf: number }
  /** A device that a member wants to be told on. */
  | { kind: 'register-push'; endpoint: string; p256dh: string; auth: string; appId: string }
  | { kind: 'unregister-push'; endpoint: string }
  /** The key that push services are to know us by, unless there is one. */
  | { kind: 'begin-pushes'; publicKey: string; privateKey: string }
  /** notifications.id up to which devices were told. */
  | { kind: 'pushes-told'; told: number }
  /** Pieces of videos that players were given, each once or more often. */
  | { kind: 'videos-watched'; watches: SegmentWatch[] }
  /** What was written by bsync and is done, for whoever reads its stream: data/store/bsync-operations.ts. */
  | { kind: 'log-operation'; stream: BsyncStream; namespace: string; operation: Uint8Array }
  | { kind: 'delete-operations'; namespace: string }
  /** What an official AppView found out about the account's age. */
  | { kind: 'age-assurance'; status: string; access: string | null; initiatedAt: number | null }
  /** Lets the account in; `code` as readInviteCode gives it. */
  | { kind: 'redeem-invite'; code: string }

/** A piece of a video that a session asked for. */
export type SegmentWatch = {
  session: string
  /** When the session began; milliseconds since 1970. */
  issuedAt: number
  /** The post that shows the video, and its author's uid. */
  uid: number
  rkey: string
  /** Which piece of the video, from 0, and how long it plays. */
  segment: number
  milliseconds: number
  /** When it was asked for; UTC, since 1970. */
  day: number
}

export type WriterReply =
  | { id: number; ok: true }
  | { id: number; ok: false; error: string; message: string }

/** What the operator asks for, by the command line or over HTTP. */
export type OperatorRequest =
  | { kind: 'add-member' | 'remove-member'; did: string }
  | ({ kind: 'create-invite' } & InviteWish)
  | { kind: 'disable-invite'; code: string }
  | ({ kind: 'create-token' } & ServiceTokenWish)
  | { kind: 'revoke-token'; name: string }
  /** A member's document (ingest/member-state/document.ts) as JSON. */
  | { kind: 'import-state'; document: string }
  | ({ kind: 'moderate' } & ModerationDecision)
  /** Checked lines; a slice, so small that the stream does not wait long for it. */
  | { kind: 'import-follows'; lines: FollowLine[]; isInScopeOnly: boolean }

export type ModerationDecision = {
  act: ModerationAct
  /** As data/store/takedowns.ts reads it; of a ban a DID. */
  subject: string
  by: string
  reason: string
  /** What the moderators call it. */
  ref?: string | undefined
  /** CIDs of blobs that are hidden with it, and shown again with it. */
  blobs?: readonly string[] | undefined
  /** Which one, where the act is about a tag. */
  tag?: string | undefined
}

export type OperatorReply =
  | { id: number; ok: true; figures: Record<string, number> }
  | { id: number; ok: false; error: string; message: string }

/** What programs write by way of the timelines service. */
export type TimelineRequest =
  | { kind: 'post'; posts: TimelinePost[] }
  | { kind: 'keep-cursor'; reader: string; timeline: string; cursor: string }
  | { kind: 'graph'; edit: GraphEdit }
  /** Finds out what would become of posts to a timeline that nodes share; nothing is written. */
  | { kind: 'plan-posts'; timeline: SharedTimeline; posts: TimelinePost[] }
  /** Entries of such a timeline's log, on top of entry `from`. */
  | { kind: 'follow-log'; timeline: SharedTimeline; from: number; entries: LogEntry[] }

/** One for each post, in their order; one for an edit of a graph, and for a plan. */
export type TimelineOutcomes = PostOutcome[] | GraphOutcome[] | PostPlan[]

export type TimelineReply =
  | { id: number; ok: true; outcomes: TimelineOutcomes }
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
  /** What the writer touched, for `InvalidationReader`. */
  invalidations: SharedArrayBuffer
  /** Which buckets of members this node has (data/engine/held-buckets.ts); of no meaning where it is alone. */
  buckets: SharedArrayBuffer
  /** Where serving threads count their requests (base/obs/request-counters.ts). */
  requests: SharedArrayBuffer
}

export type ColdStartStage = 'follows' | 'recent' | 'older' | 'rest' | 'done'

/**
 * How far the cold start of a member is. Those that go on, and for some minutes those that are over.
 * Stages overlap; `stage` is the first that is not over: `follows`, the follow list is being read;
 * `recent`, the last hours of everybody on it; `older`, posts from before until the timeline holds
 * its target; `rest`, follow lists, profiles, gates, blocks and lists of everybody on it, and the
 * member's own repository.
 */
export type ColdStartProgress = {
  did: string
  /** Milliseconds since 1970; after a restart, of the restart. */
  startedAt: number
  finishedAt: number | undefined
  stage: ColdStartStage
  /** `done`: how many are known so far; `total`: the same once the list is whole, undefined before. */
  follows: { done: number; total: number | undefined }
  /** The replay of the last hours. `listed`: read from each author's server instead of the stream. */
  replay: {
    state: 'waiting' | 'running' | 'done' | 'listed'
    /** Where the slowest of the sockets stands, microseconds since 1970; undefined while none runs. */
    cursorUs: number | undefined
    /** 0 to 100, by the time that was replayed. */
    percent: number
  }
  /** Of everybody followed: whose recent feed was read, or is not needed for the target. */
  authors: { done: number; total: number }
  /** Of everybody followed: about whom nothing is left to be fetched. */
  complete: { done: number; total: number }
  /** Of everybody followed: those beyond the member's budget, who are fetched slowly. */
  later: number
  /** Items that the member's timeline can show now, counted up to `timelineTarget`. */
  timelineItems: number
  timelineTarget: number
}

/** How far the archive is read where the stream begins with it; while it is, nothing is live. */
export type ArchiveStatus = Pick<
  ArchiveProgress,
  'host' | 'seq' | 'tipSeq' | 'startedAt' | 'events' | 'bytes' | 'dayBytes' | 'lostBlocks'
> & {
  state: 'reading' | 'waiting' | 'done'
  /** 0 to 100. */
  percent: number
  /** The latest event's time, microseconds since 1970; undefined before the first. */
  reachedUs: number | undefined
  /** `quota`: the host's, or ours; `refused`: the operator has to do something; `away`: out of reach. */
  waiting: { why: 'quota' | 'refused' | 'away'; until: number; message: string } | undefined
}

/** A report of the ingest thread, about once a second. */
export type IngestStatus = {
  stream: StreamStatus & {
    /** Milliseconds since the last event came, or the connection began; undefined where none stands. */
    quietMs: number | undefined
  }
  actors: number
  follows: number
  timelines: number
  /** Jobs against other people's servers that wait or run; 20,000 stands for as many or more. */
  jobs: number
  /** Open or repairing. */
  openGaps: number
  coldStarts: ColdStartProgress[]
  /** undefined where the stream does not begin with an archive, or has for long. */
  archive?: ArchiveStatus | undefined
  /** Holes in what was received, by state; `closed` counts those that are still remembered. */
  gaps: GapCounts
  /** From a frame's arrival to its visibility, in milliseconds, over the last report's events. */
  visibleMs: { p50: number; p99: number; count: number }
  members: number
  /** Whose streams are left alone for a while. */
  quarantinedLabelers?: number
  pulse: Pulse
  disk: DiskStatus
  /** Since the start: what was counted, by label. */
  counts: Counted
  fanOut?: FanOutStatus
  /** What has stood still for a minute or longer, though there is something to do; empty as a rule. */
  stalls?: Stall[]
}

/** Since the start, unless it says otherwise. Posts that reached nobody's timeline are not counted. */
export type FanOutStatus = {
  /** Whether there is a limit above which timelines leave posts out. */
  isLossy: boolean
  /** Writes to timelines, and those that the limit spared. */
  total: { written: number; leftOut: number }
  lastHour: { written: number; leftOut: number }
  /** To how many open timelines the largest went. */
  largest: number
  seconds: HistogramCounts
  sizes: HistogramCounts
}

/** `what`: who waits for what, in words. */
export type Stall = { what: string; seconds: number }

/**
 * What was given up for want of room, in this order; each state includes those before. `full`: the last write
 * found no room, and is tried again.
 */
export type DiskState =
  | 'ok'
  | 'without-search'
  | 'strangers-pruned'
  | 'neighbours-pruned'
  | 'strangers-refused'
  | 'full'

export type DiskStatus = {
  /** Of the database, without free pages in it. */
  usedBytes: number
  /** Up to which it may grow, by the settings and by what is free on the disk. */
  capBytes: number
  /** On the disk, for an ordinary user. */
  freeBytes: number
  state: DiskState
}

/** Rates and sizes of the last seconds. */
export type Pulse = {
  eventsPerSecond: number
  requestsPerSecond: number
  /** Answers that say it is our fault. */
  failuresPerSecond: number
  /** Undefined where nothing was asked. */
  answerMs: { p50: number | undefined; p99: number | undefined }
  /** Of the whole process. */
  memoryBytes: number
  /** Of the ingest thread, the 99th percentile of the last second. */
  loopLagMs: number
  databaseBytes: number
  /** Of the write-ahead log beside it. */
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
  | { kind: 'timelines-written'; reply: TimelineReply }
  | { kind: 'status'; status: IngestStatus }
  | { kind: 'configured-members'; dids: string[] }
  /** Whose DID documents are said to have changed. */
  | { kind: 'identities-changed'; dids: string[] }
  /** First on a new line, after the latest news. */
  | { kind: 'connected' }

export type IngestOrder =
  | { kind: 'request'; request: WriterRequest }
  | { kind: 'operate'; id: number; request: OperatorRequest }
  | { kind: 'write-timelines'; id: number; request: TimelineRequest }
  /** A line to another serving thread: requests come in there, replies and news go out. */
  | { kind: 'connect'; port: MessagePort }
  | { kind: 'stop' }
