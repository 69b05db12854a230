// Pages of the accounts related to one account: its follows, followers, blocks, mutes and activity
// subscriptions. Newest first, as in the reference; the cursor is `<ms>__<did>`: the last entry's time and
// other account, so that a page does not depend on entries added above it. If a pair has several records, the
// first one (by record key, as in profiles' relations) counts: following an account again does not move it to
// the top.

import { isValidDid } from '@atproto/syntax'
import type { ActorReader } from '../../data/graph/types.ts'
import type { Db } from '../../data/store/db.ts'
import { blockEdges, followEdges } from '../../data/store/edges/all-edges.ts'
import type { EdgeTable } from '../../data/store/edges/edge-table.ts'
import { newestSubjects } from '../../data/store/edges/newest-subjects.ts'
import { type Before, NEWEST } from '../../data/store/edges/subject-lists.ts'
import {
  type PrivateRelation,
  privateAccounts,
} from '../../data/store/read/accounts/private-accounts.ts'
import { firstRecords } from './first-records.ts'
import { parsePosition } from './page-cursor.ts'
import type { PageRange, SkeletonPage } from './skeleton-page.ts'

type AccountListRequest = PageRange & { actor: number }

type AccountListContext = { db: Db; actors: ActorReader }

/** The other account, the time, and whether the record is the first of its pair. */
type Entry = { other: number; at: number; isFirst: boolean }

/** Reads at most `limit` entries below a place, newest first. */
type ReadEntries = (actor: number, before: Before, limit: number) => readonly Entry[]

/**
 * @returns functions that each read one page of the other accounts, each account once; each @throws
 * BadCursorError
 */
export function createAccountLists(context: AccountListContext) {
  const { db } = context
  return {
    follows: accountList(context, pointedAt(db, followEdges)),
    followers: accountList(context, pointing(db, followEdges)),
    blocks: accountList(context, pointedAt(db, blockEdges)),
    mutes: accountList(context, privately(db, 'mutes')),
    mutesOfAnyScope: accountList(context, privately(db, 'mutesOfAnyScope')),
    subscriptions: accountList(context, privately(db, 'activity_subscriptions')),
  }
}

function accountList({ actors }: AccountListContext, read: ReadEntries) {
  return ({ actor, limit, cursor }: AccountListRequest): SkeletonPage<number> => {
    const { items, last } = firstRecords<Entry, Before>({
      limit,
      before: parseCursor(actors, cursor),
      read: (before, count) => read(actor, before, count),
      areFirst: (entries) => entries.map(({ isFirst }) => isFirst),
      positionOf: ({ at, other }) => ({ sortAt: at, uid: other }),
    })
    return {
      items: items.map(({ other }) => other),
      cursor: last && `${last.at}__${actors.didOf(last.other)}`,
    }
  }
}

function pointedAt(db: Db, edges: EdgeTable): ReadEntries {
  return (creator, before, limit) => {
    const page = newestSubjects(db, edges, { creator, before, limit })
    const isFirst = edges.areFirstOf(db, creator, page)
    return page.map((edge, i) => ({ other: edge.subject, at: edge.sortAt, isFirst: isFirst[i]! }))
  }
}

function pointing(db: Db, edges: EdgeTable): ReadEntries {
  return (subject, before, limit) => {
    const page = edges.newest(db, subject, before, limit)
    const isFirst = edges.areFirst(db, page)
    return page.map((edge, i) => ({ other: edge.uid, at: edge.sortAt, isFirst: isFirst[i]! }))
  }
}

/** Reads entries from the rows of a private relation, one row per pair. */
function privately(db: Db, table: PrivateRelation): ReadEntries {
  return (uid, before, limit) =>
    privateAccounts(db, table, { uid, before, limit }).map((account) => ({
      ...account,
      isFirst: true,
    }))
}

function parseCursor(actors: ActorReader, cursor: string | undefined): Before {
  if (cursor === undefined) return NEWEST
  // Our own cursors name known accounts, and accounts are never removed.
  const read = (did: string) => (isValidDid(did) && actors.uidOf(did)) || undefined
  const [sortAt, uid] = parsePosition(cursor, { read, lowest: 0 })
  return { sortAt, uid }
}
