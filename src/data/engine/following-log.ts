// Members' timelines as a log on the engine: entry N is what came to a timeline as the Nth. Each member's has one writer
// (following-epochs.ts), who writes many entries at once; an entry says by which epoch and in which flush it was
// written, and counts where that flush does. It is cut into partitions of 1,024 numbers, of which old ones go whole, so
// nobody ever reads over what was deleted.

import { batchesOf } from '../../base/util/batches.ts'
import type { Engine, Row } from './connect.ts'
import type { Committed } from './following-epochs.ts'

/** A post or a repost that came to a timeline: the same on every node. */
type LoggedItem = {
  uri: string
  /** When it came, milliseconds. */
  at: number
}

export type LoggedEntry = LoggedItem & {
  number: number
  /** `LogWrite`'s; undefined also where an older version wrote it. */
  follows?: number
}

type MemberRange = { member: string; at: number; isForward: boolean; limit: number }

export type FollowingLog = {
  /** Numbers up to here were given before there was a log, by the node that was alone then: new ones are above. */
  readonly base: number
  /** Entries from `number` on, of one flush. May be done again. */
  put(entries: LogWrite): Promise<void>
  /** What counts, in the direction of reading; `at` itself is left out. */
  read(
    range: MemberRange,
    committed: Committed,
  ): Promise<{ entries: LoggedEntry[]; isEnd: boolean }>
}

export type LogWrite = {
  member: string
  epoch: number
  flush: number
  number: number
  /** Each item's own, ascending, where they are not `number` and those after it. */
  numbers?: readonly number[]
  items: readonly LoggedItem[]
  /**
   * Whom the member followed (data/graph/follows-digest.ts), also since the entry before: everything that came from them
   * between the two is in the log. Undefined where the writer does not know that.
   */
  follows?: number | undefined
}

const CHUNK = 1_024
const KEPT_CHUNKS = 16
/** A batch that is too large is refused by the engine. */
const WRITTEN_AT_ONCE = 32
/** What never counted may stand between. */
const MARGIN = 8
const MAX_INT = 2 ** 31 - 1

function queriesOf({ keyspace }: Engine) {
  const [log, heads] = [`${keyspace}.following_log`, `${keyspace}.following_heads`]
  const select = `SELECT number, epoch, flush, at, uri, follows FROM ${log} WHERE member = ? AND chunk = ?`
  return {
    put: `INSERT INTO ${log} (member, chunk, number, epoch, flush, at, uri, follows) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    up: `${select} AND (number, epoch) > (?, ?) LIMIT ?`,
    down: `${select} AND (number, epoch) < (?, ?) ORDER BY number DESC, epoch DESC LIMIT ?`,
    drop: `DELETE FROM ${log} WHERE member = ? AND chunk = ?`,
    // The highest ever written wins, in whatever order writers come.
    advance: `INSERT INTO ${heads} (member, chunk) VALUES (?, ?) USING TIMESTAMP ?`,
    head: `SELECT chunk FROM ${heads} WHERE member = ?`,
  }
}

/** @param base - `FollowingLog.base` */
export function createFollowingLog(engine: Engine, base = 0): FollowingLog {
  const queries = queriesOf(engine)
  // What was numbered before is one partition, however far apart its numbers are.
  const chunkOf = (number: number) => Math.floor((Math.max(number, base) - 1) / CHUNK)
  const firstChunk = Math.max(0, chunkOf(base))

  async function headOf(member: string): Promise<number> {
    const [row] = await engine.read(queries.head, [member])
    return row?.['chunk'] ?? -1
  }

  /** Before anything is in it. */
  async function begin(member: string, chunk: number): Promise<void> {
    await engine.write(queries.advance, [member, chunk, chunk + 1])
    const dropped = chunk - KEPT_CHUNKS
    if (dropped >= firstChunk) await engine.write(queries.drop, [member, dropped])
  }

  /** Of one chunk, whether it counts or not. */
  function rowsOf(
    { member, isForward, limit }: MemberRange,
    { chunk, number, epoch }: { chunk: number; number: number; epoch: number },
  ): Promise<Row[]> {
    const query = isForward ? queries.up : queries.down
    return engine.read(query, [member, chunk, number, epoch, limit + MARGIN])
  }

  const isFirst = (number: number) => (number - 1) % CHUNK === 0 || number <= base + 1

  return {
    base,
    async put({ member, epoch, flush, number, numbers, items, follows = null }) {
      const rows = items.map(({ uri, at }, i) => {
        const own = numbers?.[i] ?? number + i
        return [member, chunkOf(own), own, epoch, flush, at, uri, follows]
      })
      for (const [chunk, own] of Map.groupBy(rows, (row) => row[1] as number)) {
        if (own.some((row) => isFirst(row[2] as number))) await begin(member, chunk)
        for (const some of batchesOf(own, WRITTEN_AT_ONCE)) {
          await engine.writeTogether(some.map((values) => ({ query: queries.put, values })))
        }
      }
    },
    async read(range, committed) {
      const { at, isForward, limit, member } = range
      const head = await headOf(member)
      const oldest = Math.max(firstChunk, head - KEPT_CHUNKS + 1)
      const entries: LoggedEntry[] = []
      let place = { number: Math.min(at, MAX_INT), epoch: isForward ? MAX_INT : 0 }
      let chunk = isForward ? Math.max(chunkOf(at + 1), oldest) : Math.min(chunkOf(at - 1), head)
      while (chunk >= oldest && chunk <= head && entries.length < limit) {
        const rows = await rowsOf(range, { chunk, ...place })
        entries.push(...rows.filter((row) => counts(row, committed)).map(toEntry))
        const last = rows.at(-1)
        if (rows.length === limit + MARGIN)
          place = { number: last!['number'], epoch: last!['epoch'] }
        else chunk += isForward ? 1 : -1
      }
      const isEnd = entries.length <= limit && (chunk < oldest || chunk > head)
      return { entries: entries.slice(0, limit), isEnd }
    },
  }
}

function counts(row: Row, committed: Committed): boolean {
  return row['flush'] <= (committed.get(row['epoch']) ?? 0)
}

function toEntry(row: Row): LoggedEntry {
  const { number, uri, at, follows } = row
  return { number, at: Number(at), uri, ...(follows !== null && { follows: Number(follows) }) }
}
