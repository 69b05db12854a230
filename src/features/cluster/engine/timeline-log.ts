// Programs' posts to one timeline, as a log that all nodes write and follow: entry N is the first one put at
// place N, by a lightweight transaction, so a node that has followed up to N - 1 and puts N knows what it
// builds on. A writer that was paused finds the place taken. The log is cut into partitions, and old ones are
// dropped whole.

import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type Engine, EngineUnavailableError } from './connect.ts'

export type TimelineLog = {
  /**
   * @param number - one more than the last known
   * @returns true if the entry is at that place now, false if another one is. @throws
   * EngineUnavailableError if the outcome is unknown
   */
  put(timeline: string, number: number, entry: string): Promise<boolean>
  /** The next entries, up to a limit, except those already dropped. */
  after(timeline: string, number: number): Promise<LogSlice>
  /** Names of all timelines with a log. */
  names(): Promise<string[]>
}

type LogEntry = { number: number; entry: string }

/** `isMore`: more entries may follow. */
type LogSlice = { entries: LogEntry[]; isMore: boolean }

const CHUNK = 1_024
const RETAINED_CHUNKS = 100
/** Writers that collide at a place get a timeout and retry a moment later. */
const FAILURES = 6
const LONGEST_PAUSE_MS = 50
const READ_AT_ONCE = 64

export function createTimelineLog(engine: Engine): TimelineLog {
  const [log, heads] = [`${engine.keyspace}.timeline_log`, `${engine.keyspace}.timeline_heads`]
  const queries = {
    put: `INSERT INTO ${log} (timeline, chunk, number, id, entry) VALUES (?, ?, ?, ?, ?) IF NOT EXISTS`,
    one: `SELECT id FROM ${log} WHERE timeline = ? AND chunk = ? AND number = ?`,
    after: `SELECT number, entry FROM ${log} WHERE timeline = ? AND chunk = ? AND number > ? LIMIT ${READ_AT_ONCE}`,
    drop: `DELETE FROM ${log} WHERE timeline = ? AND chunk = ?`,
    head: `SELECT chunk FROM ${heads} WHERE timeline = ?`,
    names: `SELECT timeline FROM ${heads}`,
    advance: `UPDATE ${heads} SET chunk = ? WHERE timeline = ? IF chunk = ?`,
  }

  async function headOf(timeline: string): Promise<number> {
    const [row] = await engine.read(queries.head, [timeline])
    return row?.['chunk'] ?? -1
  }

  /**
   * Must be called before the chunk's first entry. Another node may already have done so, or be
   * further ahead.
   */
  async function begin(timeline: string, chunk: number): Promise<void> {
    const before = chunk === 0 ? null : chunk - 1
    const values = [chunk, timeline, before]
    await engine.decide([{ query: queries.advance, values }])
    if (chunk < RETAINED_CHUNKS) return
    await engine.write(queries.drop, [timeline, chunk - RETAINED_CHUNKS])
  }

  async function idOf(timeline: string, number: number): Promise<string | undefined> {
    const values = [timeline, chunkOf(number), number]
    const [row] = await engine.read(queries.one, values, { serial: true })
    return row?.['id']
  }

  async function rows(timeline: string, chunk: number, number: number) {
    const found = await engine.read(queries.after, [timeline, chunk, number])
    return found.map((row): LogEntry => ({ number: row['number'], entry: row['entry'] }))
  }

  return {
    async put(timeline, number, entry) {
      const [chunk, id] = [chunkOf(number), randomUUID()]
      const statement = { query: queries.put, values: [timeline, chunk, number, id, entry] }
      for (let failures = 0; ; ) {
        try {
          if ((number - 1) % CHUNK === 0) await begin(timeline, chunk)
          const isDone = await engine.decide([statement])
          // An earlier attempt with unknown outcome may have written it.
          return isDone || (failures > 0 && (await idOf(timeline, number)) === id)
        } catch (error) {
          if (!(error instanceof EngineUnavailableError) || ++failures === FAILURES) throw error
          await pause(Math.random() * LONGEST_PAUSE_MS * failures)
        }
      }
    },
    async after(timeline, number) {
      const chunk = chunkOf(number + 1)
      const [entries, head] = await Promise.all([rows(timeline, chunk, number), headOf(timeline)])
      const oldest = head - RETAINED_CHUNKS + 1
      const found = chunk < oldest ? await rows(timeline, oldest, 0) : entries
      const last = found.at(-1)?.number ?? 0
      return {
        entries: found,
        isMore: found.length === READ_AT_ONCE || (last % CHUNK === 0 && last > 0),
      }
    },
    names: async () => (await engine.read(queries.names)).map((row) => row['timeline']),
  }
}

function chunkOf(number: number): number {
  return Math.floor((number - 1) / CHUNK)
}
