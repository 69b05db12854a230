// Maps at-URIs of one collection to row keys. Invalid URIs and URIs of unknown accounts have no key.

import { parseRecordUri } from '../../../base/atproto/at-uri.ts'
import { type PackedRkey, packRkey, unpackRkey } from '../../../base/atproto/keys.ts'
import type { ActorReader } from '../../../data/graph/types.ts'

export type UriKey = { uri: string; uid: number; rkey: PackedRkey }

export function keysOf(
  actors: Pick<ActorReader, 'uidOf'>,
  uris: readonly string[],
  collection: string,
): UriKey[] {
  return uris.flatMap((uri) => {
    const key = parseRecordUri(uri)
    const uid = key?.collection === collection ? actors.uidOf(key.did) : 0
    return uid === 0 ? [] : [{ uri, uid, rkey: packRkey(key!.rkey) }]
  })
}

/** Key for maps of rows. */
export function nameOf({ uid, rkey }: { uid: number; rkey: PackedRkey }): string {
  return `${uid} ${unpackRkey(rkey)}`
}

export function byName<Row extends { uid: number; rkey: PackedRkey }>(
  rows: readonly Row[],
): Map<string, Row> {
  return new Map(rows.map((row) => [nameOf(row), row]))
}
