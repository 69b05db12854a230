// A follow graph as programs read it: the network's, by DID and from memory, or one that programs keep here, by
// their own names and from rows. Accounts have numbers, and lists a fixed order, so a page goes on behind the
// last number of the one before.

import { isValidDid } from '@atproto/syntax'
import { type ActorReader, type FollowGraphReader, HIDDEN } from '../../data/graph/types.ts'
import type { CustomGraphRow } from '../../data/store/custom-graphs.ts'
import { findGraphAccount } from '../../data/store/custom-graphs.ts'
import type { Db } from '../../data/store/db.ts'
import type { CustomGraphs } from '../../data/store/read/custom-graphs.ts'

/** One direction of one account. */
export type Side = { of: 'follows' | 'followers'; id: number }

export type GraphSource = {
  /** Cursors name it. */
  readonly name: string
  /** What names of accounts are, for who got it wrong. */
  readonly accountsAre: string
  isName(text: string): boolean
  /** 0 for nobody: follows nobody, followed by nobody. */
  idOf(name: string): number
  /** Undefined for whom lists leave out. */
  nameOf(id: number): string | undefined
  /** At most so many from behind `after`; fewer mean the end. */
  list(side: Side, after: number, limit: number): ArrayLike<number>
  size(side: Side): number
  has(creator: number, subject: number): boolean
  /** Everybody from behind `after`, as in a list. */
  accounts(after: number, limit: number): ArrayLike<number>
  /** Whether it is read from rows, so that a page is of one moment only within a transaction. */
  readonly isInRows: boolean
  /** So many of a list are looked at for one page. */
  readonly maxExamined: number
}

export const ACCOUNT_NAMES =
  'up to 256 letters, digits and . _ : ~ % @ / -, a letter or digit first'
export const ACCOUNT_NAME = /^[A-Za-z0-9][A-Za-z0-9._:~%@/-]{0,255}$/

/** In a graph that programs keep here. */
function isAccountName(text: string): boolean {
  return ACCOUNT_NAME.test(text)
}

export function networkGraph(parts: {
  actors: Pick<ActorReader, 'count' | 'uidOf' | 'didOf' | 'flagsOf'>
  graph: FollowGraphReader
}): GraphSource {
  const { actors, graph } = parts
  return {
    name: 'graph',
    accountsAre: 'a DID',
    isInRows: false,
    maxExamined: 50_000,
    isName: isValidDid,
    idOf: (name) => actors.uidOf(name),
    nameOf: (id) => ((actors.flagsOf(id) & HIDDEN) === 0 ? actors.didOf(id) : undefined),
    list({ of, id }, after, limit) {
      const out = new Uint32Array(limit)
      const count = graph[of](id, after, out)
      return out.subarray(0, count)
    },
    size: ({ of, id }) => (of === 'follows' ? graph.followsCount(id) : graph.followersCount(id)),
    has: (creator, subject) => graph.has(creator, subject),
    accounts: (after, limit) =>
      Array.from({ length: Math.min(limit, actors.count - after) }, (_, i) => after + 1 + i),
  }
}

export function customGraph(parts: {
  db: Db
  row: CustomGraphRow
  graphs: CustomGraphs
}): GraphSource {
  const { db, row, graphs } = parts
  return {
    name: `graphs/${row.id}`,
    accountsAre: ACCOUNT_NAMES,
    isInRows: true,
    maxExamined: 5_000,
    isName: isAccountName,
    idOf: (name) => findGraphAccount(db, row.id, name),
    nameOf: (id) => graphs.nameOf(id),
    list: ({ of, id }, after, limit) => graphs.list(of, id, after, limit),
    size: ({ of, id }) => graphs.countsOf(id)[of],
    has: (creator, subject) => graphs.has(creator, subject),
    accounts: (after, limit) => graphs.accounts(row.id, after, limit),
  }
}
