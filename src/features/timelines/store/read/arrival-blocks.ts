// Caches arrivals in memory for walks over them: a timeline page skips most of the arrivals it looks at, and
// a row costs ten times as much as an array element. Bounded: 512 blocks of 256 numbers, 28 bytes each, 3.7
// MB per thread.

import { LruMap } from '../../../../base/util/lru.ts'
import { isTimeUp } from '../../../../base/util/turn.ts'
import { type Db, idList } from '../../../../data/store/read/id-list.ts'
import type { Arrival, ArrivalRange } from './arrivals.ts'

type ArrivalWalk = {
  /** In reading direction; at most the requested limit. */
  found: Arrival[]
  /** Where to continue. */
  reached: number
  /** Number of arrivals examined. */
  looked: number
  /** There is currently nothing beyond it. */
  isEnd: boolean
}

export type ArrivalBlocks = {
  /**
   * Walks the arrivals of all accounts for wanted ones, until `limit` are found or `most` were
   * examined.
   */
  walk(range: ArrivalRange & { most: number }, isWanted: (uid: number) => boolean): ArrivalWalk
}

/** Arrivals seen among the rows and not reported as deleted since. */
export type KnownArrivals = {
  has(arrival: Arrival): boolean
  add(seen: readonly Arrival[]): void
}

type Row = [seq: number, uid: number, item: number, at: number]

type Block = {
  /** The lowest number the block may hold. */
  first: number
  count: number
  seqs: Float64Array
  uids: Uint32Array
  items: Float64Array
  ats: Float64Array
  /** Everything up to here was read. */
  readTo: number
}

const NUMBERS = 256
const MAX_BLOCKS = 512

/**
 * Rows of `arrivals` never change, numbers are never reused (https://sqlite.org/autoinc.html), and
 * new rows are added at the end: a block can lack only rows added since it was read, and have only
 * deleted rows too many. So the last block is extended when there is more, and the results of a
 * walk are checked against the rows unless known to exist. If some are deleted, the blocks of the
 * walk are read again.
 */
export function prepareArrivalBlocks(db: Db, known?: KnownArrivals): ArrivalBlocks {
  return new Blocks(db, known)
}

class Blocks implements ArrivalBlocks {
  readonly #statements: ReturnType<typeof prepare>
  readonly #known: KnownArrivals | undefined
  readonly #kept = new LruMap<number, Block>(MAX_BLOCKS)
  /** Blocks of the last walk. */
  #visited: number[] = []

  constructor(db: Db, known: KnownArrivals | undefined) {
    this.#statements = prepare(db)
    this.#known = known
  }

  walk(range: ArrivalRange & { most: number }, isWanted: (uid: number) => boolean): ArrivalWalk {
    const tip = this.#statements.tip.get() ?? 0
    for (;;) {
      const walked = this.#walkOnce(range, isWanted, tip)
      if (this.#areThere(walked.found)) return walked
      for (const index of this.#visited) this.#kept.delete(index)
    }
  }

  #walkOnce(
    { at, isForward, limit, most }: ArrivalRange & { most: number },
    isWanted: (uid: number) => boolean,
    tip: number,
  ): ArrivalWalk {
    this.#visited = []
    const found: Arrival[] = []
    const step = isForward ? 1 : -1
    let looked = 0
    let reached = at
    while (looked < most && !(looked > 0 && isTimeUp())) {
      const block = this.#beyond(reached, isForward, tip)
      if (!block) {
        if (isForward) reached = Math.max(at, tip)
        return { found, reached, looked, isEnd: true }
      }
      const { seqs, uids, count } = block
      for (let i = positionOf(block, reached, isForward); i >= 0 && i < count; i += step) {
        reached = seqs[i]!
        looked++
        if (!isWanted(uids[i]!)) continue
        if (found.push(arrivalAt(block, i)) === limit)
          return { found, reached, looked, isEnd: false }
      }
    }
    return { found, reached, looked, isEnd: false }
  }

  /** The nearest block with an arrival beyond this number. */
  #beyond(seq: number, isForward: boolean, tip: number): Block | undefined {
    const next = isForward ? seq + 1 : Math.min(seq - 1, tip)
    if (next < 1 || next > tip) return undefined
    const nearest = this.#block(Math.floor(next / NUMBERS), tip)
    if (positionOf(nearest, seq, isForward) >= 0) return nearest
    const { above, below } = this.#statements
    const first = (isForward ? above : below).get(seq)
    return first === undefined ? undefined : this.#block(Math.floor(first / NUMBERS), tip)
  }

  #block(index: number, tip: number): Block {
    this.#visited.push(index)
    const cached = this.#kept.get(index)
    const first = index * NUMBERS
    const last = first + NUMBERS - 1
    const block = cached ?? emptyBlock(first)
    if (!cached) this.#kept.set(index, block)
    const upTo = Math.min(last, tip)
    if (block.readTo >= upTo) return block
    for (const row of this.#statements.rows.all(block.readTo, upTo)) add(block, row)
    block.readTo = upTo
    return block
  }

  #areThere(found: readonly Arrival[]): boolean {
    const known = this.#known
    const unknown = known ? found.filter((arrival) => !known.has(arrival)) : found
    if (unknown.length === 0) return true
    const list = idList(unknown.map(({ seq }) => seq))
    if (this.#statements.count.get(list) !== unknown.length) return false
    known?.add(unknown)
    return true
  }
}

function prepare(db: Db) {
  return {
    tip: db.prepare<[], number>('SELECT max(seq) FROM arrivals').pluck(),
    rows: db
      .prepare<[number, number], Row>(
        'SELECT seq, uid, item, at FROM arrivals WHERE seq > +? AND seq <= +? ORDER BY seq',
      )
      .raw(),
    above: db
      .prepare<[number], number>('SELECT seq FROM arrivals WHERE seq > +? ORDER BY seq LIMIT 1')
      .pluck(),
    below: db
      .prepare<[number], number>(
        'SELECT seq FROM arrivals WHERE seq < +? ORDER BY seq DESC LIMIT 1',
      )
      .pluck(),
    count: db
      .prepare<[string], number>(
        'SELECT count(*) FROM json_each(?) ids CROSS JOIN arrivals a ON a.seq = ids.value',
      )
      .pluck(),
  }
}

function emptyBlock(first: number): Block {
  return {
    first,
    count: 0,
    readTo: first - 1,
    seqs: new Float64Array(NUMBERS),
    uids: new Uint32Array(NUMBERS),
    items: new Float64Array(NUMBERS),
    ats: new Float64Array(NUMBERS),
  }
}

function add(block: Block, [seq, uid, item, at]: Row): void {
  const i = block.count++
  block.seqs[i] = seq
  block.uids[i] = uid
  block.items[i] = item
  block.ats[i] = at
}

/** Index of the nearest arrival beyond this number in the block; -1 if there is none. */
function positionOf({ seqs, count }: Block, seq: number, isForward: boolean): number {
  let [low, high] = [0, count]
  const isBefore = (i: number) => (isForward ? seqs[i]! <= seq : seqs[i]! < seq)
  while (low < high) {
    const middle = (low + high) >> 1
    if (isBefore(middle)) low = middle + 1
    else high = middle
  }
  if (!isForward) return low - 1
  return low < count ? low : -1
}

function arrivalAt({ seqs, uids, items, ats }: Block, i: number): Arrival {
  return { seq: seqs[i]!, uid: uids[i]!, item: items[i]!, at: ats[i]! }
}
