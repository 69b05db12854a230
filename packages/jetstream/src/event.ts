// The only event type inside Slipstream, whatever wire an event arrived on. The decoders of both Jetstream
// wires produce `StreamEvent`s; no other code knows which wire, host or compression carried one. Shapes
// follow network.bsky.jetstream.subscribeEvents (v2) and the v1 `/subscribe` frames.

import type { JsonObject } from './frames/syntax.ts'

type EventBase = {
  /** The repository's account; syntactically valid. */
  did: string
  /** When the upstream received it, in microseconds since 1970. */
  timeUs: number
  /** Position on the sending host; absent on legacy v1 hosts. Never comparable across hosts. */
  seq: number | undefined
}

export type WriteEvent = EventBase & {
  kind: 'commit'
  operation: 'create' | 'update'
  /** Repository revision, a TID. */
  rev: string
  collection: string
  rkey: string
  /** CIDv1, dag-cbor, sha-256, in base32 (`bafyrei…`). */
  cid: string
  record: JsonObject
}

/** Contains no record: the key alone must identify the subject (invariant 4). */
type DeleteEvent = EventBase & {
  kind: 'commit'
  operation: 'delete'
  rev: string
  collection: string
  rkey: string
}

export type CommitEvent = WriteEvent | DeleteEvent

export type IdentityEvent = EventBase & {
  kind: 'identity'
  /** As claimed; never trusted without verification. */
  handle: string | undefined
}

/** Why an account is inactive. Lexicon com.atproto.sync.subscribeRepos#account. */
export type AccountStatus =
  | 'deactivated'
  | 'suspended'
  | 'takendown'
  | 'deleted'
  | 'desynchronized'
  | 'throttled'

export type AccountEvent = EventBase & {
  kind: 'account'
  active: boolean
  /** Set only if `active` is false; unknown upstream values become `deactivated`. */
  status: AccountStatus | undefined
}

/** The repository was replaced: our copy must be compared with its PDS. v2 only. */
export type SyncEvent = EventBase & {
  kind: 'sync'
  rev: string | undefined
}

export type StreamEvent = CommitEvent | IdentityEvent | AccountEvent | SyncEvent

/**
 * A commit that was checked but not parsed, since it may be irrelevant. Code that knows the
 * accounts decides by the DIDs in it, all of which are did:plc.
 */
export type UnreadCommit = {
  readonly kind: 'unread'
  readonly timeUs: number
  readonly seq: number | undefined
  readonly operation: 'create' | 'update' | 'delete'
  readonly collection: string
  /** Contains the frame's content as JSON. */
  readonly bytes: Uint8Array
  /** Offset in `bytes` of the creator's DID, 32 ASCII characters. */
  readonly creatorAt: number
  /** Offset of every DID in the record. */
  readonly accountsAt: readonly number[]
  /** Parses it into the event it would have been; undefined if it is not an event after all. */
  read(): CommitEvent | undefined
}

/** An item delivered by a stream. */
export type StreamItem = StreamEvent | UnreadCommit

/** A stream's position; saved in the same transaction as the rows it covers. */
export type StreamCursor = {
  /** Origin, for example wss://jetstream.us-east.bsky.network. */
  host: string
  /** Jetstream's two, and com.atproto.sync.subscribeRepos. */
  wire: 'v1' | 'v2' | 'repos'
  seq: number | undefined
  timeUs: number
  /**
   * Mark of the event at `seq` (event-mark.ts); absent if none was received, or if saved by an
   * older release.
   */
  mark?: string
  /** The time is from our own clock: no event has been received that could be expected again. */
  isByClock?: boolean
}

/** A gap in the received events: recorded, to be repaired later. Times in microseconds. */
export type StreamGap = {
  host: string
  fromUs: number
  toUs: number
  cause: 'cursor-too-old' | 'outdated-cursor' | 'host-switch' | 'dropped-frame' | 'broken-event'
  /** If set, only this account's events are missing. */
  did?: string
}
