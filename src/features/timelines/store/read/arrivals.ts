// Posts and reposts in order of arrival: all of them, and those of one account.

import type { Db } from '../../../../data/store/db.ts'
import { idList } from '../../../../data/store/read/id-list.ts'

export type Arrival = { seq: number; uid: number; item: number; at: number }

/** `at` is exclusive: forward reads above it, backward below it. */
export type ArrivalRange = { at: number; isForward: boolean; limit: number }

export type ArrivalReader = {
  /** The highest number; 0 if nothing has arrived. */
  tip(): number
  /** The number after which everything arrived at this time, in milliseconds, or later. */
  before(at: number): number
  /** Arrivals of all accounts, in reading direction. */
  all(range: ArrivalRange): Arrival[]
  /** Arrivals of one account, up to and including `until`. */
  of(uid: number, range: ArrivalRange & { until: number }): Arrival[]
  /** Those of these numbers whose arrivals are deleted. */
  missing(seqs: readonly number[]): number[]
  /** The first arrival of each account that has one in this direction. */
  heads(
    uids: readonly number[] | Uint32Array,
    range: Omit<ArrivalRange, 'limit'>,
  ): [uid: number, seq: number][]
}

type Row = [seq: number, uid: number, item: number, at: number]

const ACCOUNTS_A_STATEMENT = 1_000

export function prepareArrivals(db: Db): ArrivalReader {
  const tip = db.prepare<[], number>('SELECT max(seq) FROM arrivals').pluck()
  const nextAt = db
    .prepare<[number], number>('SELECT at FROM arrivals WHERE seq >= ? ORDER BY seq LIMIT 1')
    .pluck()
  const missing = db
    .prepare<[string], number>(
      'SELECT a.value FROM json_each(?) a WHERE NOT EXISTS (SELECT 1 FROM arrivals WHERE seq = a.value)',
    )
    .pluck()
  const both = {
    forward: prepareDirection(db, { beyond: '>', within: '<=', order: '', first: 'min' }),
    backward: prepareDirection(db, { beyond: '<', within: '>=', order: 'DESC', first: 'max' }),
  }
  const towards = (isForward: boolean) => (isForward ? both.forward : both.backward)
  return {
    tip: () => tip.get() ?? 0,
    before(at) {
      let [low, high] = [0, tip.get() ?? 0]
      while (low < high) {
        const middle = Math.ceil((low + high) / 2)
        const next = nextAt.get(middle)
        if (next !== undefined && next < at) low = middle
        else high = middle - 1
      }
      return low
    },
    all: ({ at, isForward, limit }) => towards(isForward).all.all(at, limit).map(toArrival),
    of(uid, { at, until, isForward, limit }) {
      return towards(isForward).of.all(uid, at, until, limit).map(toArrival)
    },
    missing: (seqs) => missing.all(idList(seqs)),
    heads(uids, { at, isForward }) {
      const found: [number, number][] = []
      for (let i = 0; i < uids.length; i += ACCOUNTS_A_STATEMENT) {
        const some = idList(uids.slice(i, i + ACCOUNTS_A_STATEMENT))
        for (const [uid, seq] of towards(isForward).heads.all({ 1: some, 2: at })) {
          if (seq !== null) found.push([uid, seq])
        }
      }
      return found
    },
  }
}

function prepareDirection(
  db: Db,
  way: { beyond: string; within: string; order: string; first: string },
) {
  const { beyond, within, order, first } = way
  const columns = 'seq, uid, item, at'
  return {
    all: db
      .prepare<[number, number], Row>(
        `SELECT ${columns} FROM arrivals WHERE seq ${beyond} +? ORDER BY seq ${order} LIMIT +?`,
      )
      .raw(),
    of: db
      .prepare<[number, number, number, number], Row>(
        `SELECT ${columns} FROM arrivals INDEXED BY arrivals_by_author
          WHERE uid = +? AND seq ${beyond} +? AND seq ${within} +? ORDER BY seq ${order} LIMIT +?`,
      )
      .raw(),
    heads: db
      .prepare<[{ 1: string; 2: number }], [uid: number, seq: number | null]>(
        `SELECT a.value, (SELECT ${first}(seq) FROM arrivals INDEXED BY arrivals_by_author
          WHERE uid = a.value AND seq ${beyond} ?2) FROM json_each(?1) a`,
      )
      .raw(),
  }
}

function toArrival([seq, uid, item, at]: Row): Arrival {
  return { seq, uid, item, at }
}
