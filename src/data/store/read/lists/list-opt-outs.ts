// Accounts that opted out of reference lists, the lists behind starter packs: an opt-out is a record that
// names the list, found by the list's owner and the record's creator. On other lists it has no effect.

import { recordUri } from '../../../../base/atproto/at-uri.ts'
import { collectionCodes } from '../../../../base/atproto/collections.ts'
import type { PackedRkey } from '../../../../base/atproto/keys.ts'
import type { ActorReader } from '../../../graph/types.ts'
import { type Db, idList } from '../id-list.ts'

/** A reference list. */
export type OptOutScope = { owner: number; uri: string }

export type ListOptOuts = {
  /** Undefined for other or unknown lists. */
  scopeOf(list: number): OptOutScope | undefined
  /** The accounts among these that opted out. */
  among(scope: OptOutScope, uids: Iterable<number>): Set<number>
  /** Record key of the account's opt-out, the first of several. */
  by(uid: number, scope: OptOutScope): PackedRkey | undefined
  /** The same for many lists, by their at-URIs. */
  byEach(uid: number, scopes: readonly OptOutScope[]): Map<string, PackedRkey>
}

export const REFERENCE_LIST = 'app.bsky.graph.defs#referencelist'
const LIST = 'app.bsky.graph.list'
const OPT_OUT = collectionCodes['app.bsky.graph.referencelistoptout']

/** The opt-outs of this account (a column) from this list. */
const optOutsOf = (uid: string, { owner, uri } = { owner: '+@owner', uri: '@uri' }): string =>
  /* sql */ `records o
  WHERE o.subject = ${owner} AND o.uid = ${uid} AND o.collection = ${OPT_OUT} AND o.cid IS NOT NULL
    AND json_extract(CAST(o.record AS TEXT), '$.subject') = ${uri}`

const BY_EACH = /* sql */ `
SELECT k.value ->> 1 AS uri, (SELECT o.rkey
  FROM ${optOutsOf('@uid', { owner: 'k.value ->> 0', uri: 'k.value ->> 1' })} ORDER BY o.id LIMIT 1) AS rkey
FROM json_each(@scopes) k WHERE rkey IS NOT NULL`

/** Whether this account (a column) opted out of it. */
export const optedOut = (uid: string): string => `EXISTS (SELECT 1 FROM ${optOutsOf(uid)})`

export function prepareListOptOuts(db: Db, actors: Pick<ActorReader, 'didOf'>): ListOptOuts {
  const any = db
    .prepare<[number], number>('SELECT 1 FROM records WHERE subject = ? LIMIT 1')
    .pluck()
  const list = db.prepare<[number], { uid: number; rkey: PackedRkey; purpose: unknown }>(
    `SELECT uid, rkey, json_extract(CAST(record AS TEXT), '$.purpose') AS purpose
      FROM lists WHERE id = ? AND cid IS NOT NULL AND record IS NOT NULL`,
  )
  const among = db
    .prepare<[OptOutScope & { ids: string }], number>(
      `SELECT ids.value FROM json_each(@ids) ids WHERE ${optedOut('ids.value')}`,
    )
    .pluck()
  const by = db
    .prepare<[OptOutScope & { uid: number }], PackedRkey>(
      `SELECT o.rkey FROM ${optOutsOf('@uid')} ORDER BY o.id LIMIT 1`,
    )
    .pluck()
  const byEach = db.prepare<[{ uid: number; scopes: string }], { uri: string; rkey: PackedRkey }>(
    BY_EACH,
  )
  return {
    byEach(uid, scopes) {
      const requested = JSON.stringify(scopes.map(({ owner, uri }) => [owner, uri]))
      return new Map(byEach.all({ uid, scopes: requested }).map(({ uri, rkey }) => [uri, rkey]))
    },
    scopeOf(id) {
      const row = list.get(id)
      if (row?.purpose !== REFERENCE_LIST) return undefined
      return { owner: row.uid, uri: recordUri(actors.didOf(row.uid), LIST, row.rkey) }
    },
    among: (scope, uids) =>
      new Set(any.get(scope.owner) ? among.all({ ...scope, ids: idList(uids) }) : []),
    by: (uid, scope) => by.get({ ...scope, uid }),
  }
}
