// Searches accounts by name in three turns: the exact handle and the accounts the viewer follows; then all
// others whose names begin with the words; then those whose handle contains the text. Within a turn, accounts
// are ordered roughly by followers (data/store/search/actor-index.ts), and exactly within a page. The cursor
// is `<turn>__<place>`, so a page continues where the previous one ended.

import type { Db } from '../../../data/store/db.ts'
import {
  type ActorPosition,
  type ActorSearch,
  type NamedPosition,
  prepareActorSearch,
} from '../../../data/store/read/accounts/actor-search.ts'
import {
  type ActorQuery,
  actorQuery,
  beginsWithAll,
  isMeant,
} from '../../../data/store/search/actor-terms.ts'
import { BadCursorError } from '../page-cursor.ts'
import type { SkeletonPage } from '../skeleton-page.ts'
import { createFollowedNames } from './followed-names.ts'

export type ActorSearchRequest = {
  q: string
  /** 0 for a visitor. */
  viewer: number
  /** The accounts that the viewer follows, or some of very many. */
  follows: Uint32Array
  /** The account whose full handle or DID is given; 0 if none. */
  exact: number
  limit: number
  cursor: string | undefined
}

/** `upTo`: the place up to which rows were examined; undefined if the turn is finished. */
type Turn = { rows: ActorPosition[]; upTo: number | undefined }
type SearchRequest = { query: ActorQuery; mine: ActorPosition[]; own: Set<number> }

const MINE = 0
const BY_WORDS = 1
const BY_PARTS = 2
const TURNS = 3
/** Extra rows to read, since some are filtered out. */
const READ_MORE = 20
/** Index rows examined per page. */
const PARTS_READ = 200
const MAX_LOOKED_AT = 1_000

/** @returns a function that reads one page; @throws BadCursorError */
export function createActorSearch(db: Db, now?: () => number) {
  const search = prepareActorSearch(db)
  const followed = createFollowedNames({ search, now })

  function ask({ q, viewer, follows, exact }: ActorSearchRequest): SearchRequest {
    const query = actorQuery(q)
    const people = followed.matching({ viewer, follows }, query.words)
    const mine = meant(
      search,
      query,
      people.filter(({ uid }) => uid !== exact),
    )
    return { query, mine, own: new Set([exact, ...mine.map(({ uid }) => uid)]) }
  }

  function read(
    { query, mine, own }: SearchRequest,
    turn: number,
    after: number,
    limit: number,
  ): Turn {
    const { words, parts: letters, text } = query
    if (turn === MINE) return { rows: mine.filter(({ place }) => place > after), upTo: undefined }
    if (turn === BY_WORDS) {
      const rows = words.length > 0 ? search.byWords(words, after, limit) : []
      const fitting = new Set(meant(search, query, rows))
      return toTurn(rows, limit, (row) => !own.has(row.uid) && fitting.has(row))
    }
    // Starting a read costs more than continuing it, and many rows with the letters lack the text.
    const many = Math.max(limit, PARTS_READ)
    const rows = letters.length > 0 ? search.byParts(letters, after, many) : []
    const fits = (row: NamedPosition) => row.handle.includes(text) && !beginsWithAll(row, words)
    return toTurn(rows, many, (row) => !own.has(row.uid) && fits(row))
  }

  return (request: ActorSearchRequest): SkeletonPage<number> => {
    const { limit, cursor, exact } = request
    const requested = ask(request)
    const first = cursor === undefined && exact !== 0 ? [exact] : []
    const turns: ActorPosition[][] = [[], [], []]
    let [turn, after] = parseCursor(cursor)
    let capacity = limit - first.length
    for (let looked = 0; turn < TURNS && looked < MAX_LOOKED_AT; ) {
      const { rows, upTo } = read(requested, turn, after, capacity + READ_MORE)
      looked += turn === BY_PARTS ? PARTS_READ : capacity + READ_MORE
      const taken = rows.slice(0, capacity)
      turns[turn]!.push(...taken)
      capacity -= taken.length
      if (taken.length < rows.length) {
        after = taken.at(-1)?.place ?? after
        break
      }
      if (upTo === undefined) turn++
      after = upTo ?? 0
    }
    const next = turn < TURNS ? `${turn}__${after}` : undefined
    return { items: [...first, ...inOrder(search, turns)], cursor: next }
  }
}

/** Filters rows with the words down to those the query means. */
function meant(search: ActorSearch, query: ActorQuery, rows: ActorPosition[]): ActorPosition[] {
  if (!query.text.includes('.')) return rows
  const names = search.names(rows.map(({ uid }) => uid))
  const uids = new Set(names.filter((name) => isMeant(name, query)).map(({ uid }) => uid))
  return rows.filter(({ uid }) => uids.has(uid))
}

/** Orders each turn by followers, most first. */
function inOrder(search: ActorSearch, turns: ActorPosition[][]): number[] {
  const followers = search.followersOf(turns.flat().map(({ uid }) => uid))
  const count = ({ uid }: ActorPosition) => followers.get(uid) ?? 0
  return turns.flatMap((rows) => rows.sort((a, b) => count(b) - count(a)).map(({ uid }) => uid))
}

function toTurn<T extends ActorPosition>(
  rows: T[],
  limit: number,
  fits: (row: T) => boolean,
): Turn {
  const upTo = rows.length < limit ? undefined : rows.at(-1)!.place
  return { rows: rows.filter(fits), upTo }
}

function parseCursor(cursor: string | undefined): [turn: number, after: number] {
  if (cursor === undefined) return [MINE, 0]
  const match = /^([012])__(0|[1-9]\d{0,11})$/.exec(cursor)
  if (!match) throw new BadCursorError()
  return [Number(match[1]), Number(match[2])]
}
