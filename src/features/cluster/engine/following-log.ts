// Members' timelines as logs on the engine: entry N is the Nth arrival of a timeline. Each member's log has
// one writer (following-epochs.ts), which writes entries in batches. An entry names its epoch and flush, and
// counts if that flush does. The log is cut into partitions of 1,024 numbers, and old partitions are dropped
// whole, so reads never scan tombstones.

import { batchesOf } from '../../../base/util/batches.ts'
import type { Engine, Row } from './connect.ts'
import type { Committed } from './following-epochs.ts'

/** A post or a repost that arrived in a timeline: the same on all nodes. */
type LoggedItem = {
  uri: string
  /** Time of arrival, milliseconds. */
  at: number
}

export type LoggedEntry = LoggedItem & {
  number: number
  /** The `follows` of `LogWrite`; also undefined for entries by an older version. */
  follows?: number
}

type MemberRange = { member: string; at: number; isForward: boolean; limit: number }

export type FollowingLog = {
  /**
   * Numbers up to here were assigned before there was a log, by a single node: new ones are above.
   */
  readonly base: number
  /** Writes entries of one flush, starting at `number`. Idempotent. */
  put(entries: LogWrite): Promise<void>
  /** The entries that count, in the direction of reading; excludes `at` itself. */
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
  /** Each item's number, ascending, unless they are consecutive from `number`. */
  numbers?: readonly number[]
  items: readonly LoggedItem[]
  /**
   * Digest of the member's follows (data/graph/follows-digest.ts), unchanged since the previous
   * entry: everything that arrived from them between the two is in the log. Undefined if the writer
   * does not know.
   */
  follows?: number | undefined
}

const CHUNK = 1_024
const RETAINED_CHUNKS = 16
/** The engine rejects larger batches. */
const WRITTEN_AT_ONCE = 32
/** Extra rows to read, since rows that never counted may lie in between. */
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
    // The highest value ever written wins, whatever the order of writers.
    advance: `INSERT INTO ${heads} (member, chunk) VALUES (?, ?) USING TIMESTAMP ?`,
    head: `SELECT chunk FROM ${heads} WHERE member = ?`,
  }
}

/** @param base - `FollowingLog.base` */
export function createFollowingLog(engine: Engine, base = 0): FollowingLog {
  const queries = queriesOf(engine)
  // Numbers assigned before share one partition, however far apart they are.
  const chunkOf = (number: number) => Math.floor((Math.max(number, base) - 1) / CHUNK)
  const firstChunk = Math.max(0, chunkOf(base))

  async function headOf(member: string): Promise<number> {
    const [row] = await engine.read(queries.head, [member])
    return row?.['chunk'] ?? -1
  }

  /** Must be called before the chunk's first entry is written. */
  async function begin(member: string, chunk: number): Promise<void> {
    await engine.write(queries.advance, [member, chunk, chunk + 1])
    const dropped = chunk - RETAINED_CHUNKS
    if (dropped >= firstChunk) await engine.write(queries.drop, [member, dropped])
  }

  /** Rows of one chunk, whether or not they count. */
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
      const oldest = Math.max(firstChunk, head - RETAINED_CHUNKS + 1)
      const entries: LoggedEntry[] = []
      let position = { number: Math.min(at, MAX_INT), epoch: isForward ? MAX_INT : 0 }
      let chunk = isForward ? Math.max(chunkOf(at + 1), oldest) : Math.min(chunkOf(at - 1), head)
      while (chunk >= oldest && chunk <= head && entries.length < limit) {
        const rows = await rowsOf(range, { chunk, ...position })
        entries.push(...rows.filter((row) => counts(row, committed)).map(toEntry))
        const last = rows.at(-1)
        if (rows.length === limit + MARGIN)
          position = { number: last!['number'], epoch: last!['epoch'] }
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
