// Entries of the double's log, and their two JSON shapes on the wire. v1: the bare object of `/subscribe`,
// keys in the order of Go's struct. v2: one xrpc.v1.json message frame of
// network.bsky.jetstream.subscribeEvents, payload keys in alphabetical order, as the server's generated
// encoder writes them. Both follow the real server's source (internal/subscribe/encoder.go), because the real
// dictionaries were trained on these orders.

import type { AccountStatus } from '@slipstream/jetstream'
import type { JsonObject } from '../../../src/base/util/json-object.ts'

type Base = {
  did: string
  /** When the server saw it; by default the double uses the current time, and keeps time rising. */
  timeUs?: number
}

export type CommitEmission = Base & {
  kind?: 'commit'
  operation: 'create' | 'update' | 'delete'
  collection: string
  rkey: string
  /** Omitted for deletes only. */
  record?: JsonObject
  /** Derived from the log position if omitted. */
  rev?: string
  /** Made up if omitted: well-formed, but not the record's true CID. */
  cid?: string
}

export type IdentityEmission = Base & { kind: 'identity'; handle?: string }

export type AccountEmission = Base & {
  kind: 'account'
  active: boolean
  status?: AccountStatus | (string & {})
}

/** Never shown on the v1 wire. */
export type SyncEmission = Base & { kind: 'sync'; rev?: string }

export type Emission = CommitEmission | IdentityEmission | AccountEmission | SyncEmission

/** An emission with its position and all defaults filled in. */
export type LoggedEmission = Emission & { seq: number; timeUs: number; rev: string; cid: string }

/** @returns undefined for events that the v1 wire omits. `seq` undefined: a legacy host. */
export function frameV1(event: LoggedEmission, withCursor: boolean): string | undefined {
  if (event.kind === 'sync') return undefined
  const kind = event.kind ?? 'commit'
  return JSON.stringify({
    did: event.did,
    time_us: event.timeUs,
    cursor: withCursor ? event.seq : undefined,
    kind,
    [kind]: kind === 'commit' ? commitV1(event as CommitEmission) : upstreamPayload(event),
  })
}

function commitV1({ rev, operation, collection, rkey, record, cid }: CommitEmission): JsonObject {
  const written = operation === 'delete' ? {} : { record, cid }
  return { rev, operation, collection, rkey, ...written }
}

export function frameV2(event: LoggedEmission): string {
  const { did, seq, timeUs } = event
  const kind = event.kind ?? 'commit'
  const $type = `network.bsky.jetstream.subscribeEvents#${kind}`
  const time = wireTime(timeUs)
  const payload =
    kind === 'commit'
      ? commitV2(event as CommitEmission & LoggedEmission, $type, time)
      : { $type, [kind]: upstreamPayload(event), did, seq, time }
  return JSON.stringify({ $type: 'message', payload: sortedKeys(payload) })
}

function commitV2(event: CommitEmission & LoggedEmission, $type: string, time: string): JsonObject {
  const { cid, collection, did, operation, record, rev, rkey, seq } = event
  if (operation === 'delete') return { $type, collection, did, operation, rev, rkey, seq, time }
  return { $type, cid, collection, did, operation, record, rev, rkey, seq, time }
}

/** Returns the relay's own event, wrapped by both wires; its seq and time are the relay's. */
function upstreamPayload(event: LoggedEmission): JsonObject {
  const { did, seq, timeUs } = event
  const base = { did, seq: 31_000_000_000 + seq, time: new Date(timeUs / 1000).toISOString() }
  if (event.kind === 'identity') return { ...base, handle: event.handle }
  if (event.kind === 'account') return { active: event.active, ...base, status: event.status }
  return { ...base, rev: event.rev, blocks: { $bytes: 'AA' } }
}

/** Formats a time as RFC 3339 in UTC with exactly six fractional digits. */
export function wireTime(timeUs: number): string {
  const seconds = new Date(Math.floor(timeUs / 1_000_000) * 1000).toISOString().slice(0, 19)
  return `${seconds}.${String(timeUs % 1_000_000).padStart(6, '0')}Z`
}

export function infoFrame(name: string, message: string): string {
  const $type = 'network.bsky.jetstream.subscribeEvents#info'
  return JSON.stringify({ $type: 'message', payload: { $type, message, name } })
}

export function errorFrame(error: string, message: string): string {
  return JSON.stringify({ $type: 'error', error, message })
}

function sortedKeys(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)))
}
