// The one event type inside Slipstream, whatever wire it came over.
//
// Both Jetstream wires are turned into a `StreamEvent` by their decoders; nothing behind this
// room knows which wire, host or compression carried it. Shapes follow
// network.bsky.jetstream.subscribeEvents (v2) and the v1 `/subscribe` frames.

/** A JSON object of unknown shape: a record before its lexicon was checked. */
export type JsonObject = { [key: string]: unknown }

type EventBase = {
  /** The repository's account. Syntactically valid. */
  did: string
  /** When the upstream saw it, in microseconds since 1970. */
  timeUs: number
  /** Position on the host that sent it; absent on legacy v1 hosts. Never comparable across hosts. */
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

/** Carries no record: the key alone must lead to the subject (invariant 4). */
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

/** Why an account is not active. Lexicon com.atproto.sync.subscribeRepos#account. */
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
  /** Set only where `active` is false; an unknown upstream word is read as `deactivated`. */
  status: AccountStatus | undefined
}

/** The repository was replaced: what we hold of it must be compared with its PDS. v2 only. */
export type SyncEvent = EventBase & {
  kind: 'sync'
  rev: string | undefined
}

export type StreamEvent = CommitEvent | IdentityEvent | AccountEvent | SyncEvent

/**
 * A commit whose content was checked but not parsed: it may well be nobody's concern. Whoever knows
 * the accounts decides from the DIDs in it, all of which are did:plc.
 */
export type UnreadCommit = {
  readonly kind: 'unread'
  readonly timeUs: number
  readonly seq: number | undefined
  readonly operation: 'create' | 'update' | 'delete'
  readonly collection: string
  /** The frame's content is in here somewhere, as JSON. */
  readonly bytes: Uint8Array
  /** Where in `bytes` the creator's DID stands, 32 ASCII characters. */
  readonly creatorAt: number
  /** The same for every DID in the record. */
  readonly accountsAt: readonly number[]
  /** Parses it: the very event that it would have been; undefined if it is none after all. */
  read(): CommitEvent | undefined
}

/** What a stream hands over. */
export type StreamItem = StreamEvent | UnreadCommit

/** Where a stream stands; saved in the same transaction as the rows it covers. */
export type StreamCursor = {
  /** Origin, such as wss://jetstream.us-east.bsky.network. */
  host: string
  wire: 'v1' | 'v2'
  seq: number | undefined
  timeUs: number
  /** Of the event at `seq` (event-mark.ts); absent where none was received, or by an older release. */
  mark?: string
  /** The time is our clock's: nothing was received yet that could be expected to come again. */
  isByClock?: boolean
}

/** A hole in what was received: recorded, to be repaired later. Times in microseconds. */
export type StreamGap = {
  host: string
  fromUs: number
  toUs: number
  cause: 'cursor-too-old' | 'outdated-cursor' | 'host-switch' | 'dropped-frame' | 'broken-event'
  /** Only what this account said is missing. */
  did?: string
}
