// A follow graph as read by programs: the network's, by DID and from memory, or one that programs store here,
// by their own names and from rows. Accounts have numbers and lists a fixed order, so a page continues after
// the last number of the previous one.

import { isValidDid } from '@atproto/syntax'
import type { FollowGraphReader } from '@slipstream/follow-graph'
import { type ActorReader, HIDDEN } from '../../../data/graph/types.ts'
import type { Db } from '../../../data/store/db.ts'
import type { CustomGraphRow } from '../store/programs/custom-graphs.ts'
import { findGraphAccount } from '../store/programs/custom-graphs.ts'
import type { CustomGraphs } from '../store/read/custom-graphs.ts'

/** The follows or the followers of one account. */
export type Side = { of: 'follows' | 'followers'; id: number }

export type GraphSource = {
  /** Identifies the graph in cursors. */
  readonly name: string
  /** Describes valid account names, for error messages. */
  readonly accountsAre: string
  isName(text: string): boolean
  /** Returns 0 for unknown accounts: no follows, no followers. */
  idOf(name: string): number
  /** Undefined for accounts that lists omit. */
  nameOf(id: number): string | undefined
  /** At most `limit` accounts after `after`; fewer mean the end. */
  list(side: Side, after: number, limit: number): ArrayLike<number>
  size(side: Side): number
  has(creator: number, subject: number): boolean
  /** All accounts after `after`, as in a list. */
  accounts(after: number, limit: number): ArrayLike<number>
  /** Whether it is read from rows, so that pages are consistent only within a transaction. */
  readonly isInRows: boolean
  /** Accounts of a list examined per page. */
  readonly maxExamined: number
}

export const ACCOUNT_NAMES =
  'up to 256 letters, digits and . _ : ~ % @ / -, a letter or digit first'
export const ACCOUNT_NAME = /^[A-Za-z0-9][A-Za-z0-9._:~%@/-]{0,255}$/

/** For graphs stored by programs. */
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
    accountsAre: 'a DID or a handle',
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
