// Pages of accounts that stand in a relation to one account: whom it follows, who follows it, whom it
// blocks or mutes. Newest first as in the reference; the cursor is `<ms>__<did>`: the last entry's
// time and its other account, so that a page never depends on what was added above it.
//
// Where one pair has several records, the first one counts (by record key, as in the relations that
// profiles show): following somebody again moves nobody to the top.

import { isValidDid } from '@atproto/syntax'
import type { ActorReader } from '../graph/types.ts'
import type { Db } from '../store/db.ts'
import { BadCursorError, parseTimed } from './page-cursor.ts'

export type AccountListRequest = { actor: number; limit: number; cursor: string | undefined }

export type AccountListSkeleton = {
  /** The other accounts, each once, newest first. */
  uids: number[]
  cursor: string | undefined
}

export type AccountListParts = { db: Db; actors: ActorReader }

/** What a list is read from: which rows, and which column names the account they are listed for. */
type Source = {
  table: 'follows' | 'blocks' | 'mutes'
  by: 'uid' | 'subject'
  time: 'sort_at' | 'created_at'
  /** Index by the pair of accounts, where one pair may have several records. */
  pairs?: string
}

type Entry = { other: number; at: number; isFirst: number }

/** @returns each reads one page; each @throws BadCursorError */
export function createAccountLists(parts: AccountListParts) {
  const follows = { table: 'follows', time: 'sort_at', pairs: 'follows_by_pair' } as const
  const blocks = { table: 'blocks', time: 'sort_at', pairs: 'blocks_by_pair' } as const
  return {
    follows: accountList(parts, { ...follows, by: 'uid' }),
    followers: accountList(parts, { ...follows, by: 'subject' }),
    blocks: accountList(parts, { ...blocks, by: 'uid' }),
    mutes: accountList(parts, { table: 'mutes', time: 'created_at', by: 'uid' }),
  }
}

function accountList({ db, actors }: AccountListParts, source: Source) {
  const select = prepareList(db, source)
  return ({ actor, limit, cursor }: AccountListRequest): AccountListSkeleton => {
    const [at, uid] = parseCursor(actors, cursor)
    const entries = select.all(actor, at, at, uid, limit + 1)
    const page = entries.slice(0, limit)
    const last = page.at(-1)
    const hasMore = entries.length > limit && last !== undefined
    return {
      uids: [...new Set(page.filter((one) => one.isFirst === 1).map(({ other }) => other))],
      cursor: hasMore ? `${last.at}__${actors.didOf(last.other)}` : undefined,
    }
  }
}

/** The page first, then which of its records are their pair's first: the order costs no more than it must. */
function prepareList(db: Db, { table, by, time, pairs }: Source) {
  const other = by === 'uid' ? 'subject' : 'uid'
  // By its time rather than by the record itself: the cursor can't part records of one time and pair.
  const isFirst = pairs
    ? `t.${time} = (SELECT p.${time} FROM ${table} p INDEXED BY ${pairs}
        WHERE p.uid = t.uid AND p.subject = t.subject ORDER BY p.rkey LIMIT 1)`
    : '1'
  return db.prepare<[number, number, number, number, number], Entry>(
    `SELECT t.${other} AS other, t.${time} AS at, ${isFirst} AS isFirst FROM (
      SELECT uid, subject, ${time} FROM ${table}
      WHERE ${by} = ? AND ${time} <= ? AND (${time} < ? OR ${other} < ?)
      ORDER BY ${time} DESC, ${other} DESC LIMIT ?
    ) t`,
  )
}

function parseCursor(actors: ActorReader, cursor: string | undefined): [at: number, uid: number] {
  if (cursor === undefined) return [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]
  const [at, did] = parseTimed(cursor)
  // We wrote it, so we knew the account; accounts are never forgotten.
  const uid = isValidDid(did) ? actors.uidOf(did) : 0
  if (uid === 0) throw new BadCursorError('Malformed cursor')
  return [at, uid]
}
