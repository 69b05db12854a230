// Members' private changes on a CQL engine: one partition per member, and one lightweight transaction for
// changes appended together, on the condition that the version is unchanged since it was read.

import { randomUUID } from 'node:crypto'
import { assert } from '../../../base/util/assert.ts'
import { backoffMs } from '../../../base/util/backoff.ts'
import { type Engine, EngineUnavailableError, type Row } from './connect.ts'
import {
  MAX_CHANGES_AT_ONCE,
  type NumberedChange,
  type PrivateChange,
  type PrivateChanges,
} from './private-changes.ts'

/** Attempts lost to concurrent writers; a member's own devices never cause so many. */
const MAX_ATTEMPTS = 20
const LONGEST_PAUSE_MS = 200
const MAX_FAILURES = 5
/** Limit for the state of one member. */
const MAX_SLICES = 10_000
/**
 * After this, the client has turned to another node, and a late attempt must not undo its changes
 * there.
 */
const BEGUN_WITHIN_MS = 2_500

type Append = { member: string; changes: readonly PrivateChange[]; id: string }

function queriesOf(engine: Engine) {
  const table = `${engine.keyspace}.private_state`
  return {
    version: `SELECT version FROM ${table} WHERE member = ? LIMIT 1`,
    all: `SELECT key, number, made_at, change FROM ${table} WHERE member = ?`,
    one: `SELECT number, change_id FROM ${table} WHERE member = ? AND key = ?`,
    advance: `UPDATE ${table} SET version = ? WHERE member = ? IF version = ?`,
    drop: `DELETE FROM ${table} WHERE member = ? AND key = ?`,
    keys: `SELECT key FROM ${table} WHERE member = ?`,
    put: `INSERT INTO ${table} (member, key, number, change_id, made_at, change) VALUES (?, ?, ?, ?, ?, ?)`,
  }
}

/** @param begunWithinMs - no attempt starts later */
export function createCqlPrivateChanges(
  engine: Engine,
  begunWithinMs: number = BEGUN_WITHIN_MS,
): PrivateChanges {
  const queries = queriesOf(engine)

  async function version(member: string, options?: { serial: boolean }): Promise<number> {
    const [row] = await engine.read(queries.version, [member], options)
    return row?.['version'] ?? 0
  }

  /** Whether the changes were written, after an attempt with unknown outcome. */
  async function isThere({ member, changes, id }: Append): Promise<number | undefined> {
    const { key } = changes.at(-1)!
    const [row] = await engine.read(queries.one, [member, key], { serial: true })
    return row?.['change_id'] === id ? row['number'] : undefined
  }

  async function attempt({ member, changes, id }: Append, from: number): Promise<boolean> {
    const to = from + changes.length
    const puts = changes.map(({ key, madeAt, change }, i) => ({
      query: queries.put,
      values: [member, key, from + 1 + i, id, madeAt, change],
    }))
    const before = from === 0 ? null : from
    return engine.decide([{ query: queries.advance, values: [to, member, before] }, ...puts])
  }

  return {
    async append(member, changes) {
      assert(changes.length > 0 && changes.length <= MAX_CHANGES_AT_ONCE, 'a batch of changes')
      const item = { member, changes, id: randomUUID() }
      const startedAt = performance.now()
      let failures = 0
      for (let attempts = 1; attempts <= MAX_ATTEMPTS; attempts++) {
        if (performance.now() - startedAt > begunWithinMs) break
        try {
          const from = await version(member, { serial: failures > 0 })
          const found = failures > 0 ? await isThere(item) : undefined
          if (found !== undefined) return found
          if (performance.now() - startedAt > begunWithinMs) break
          if (await attempt(item, from)) return from + changes.length
        } catch (error) {
          // The engine also gives up under many concurrent writes to one member's state; the next
          // attempt checks whether this one succeeded.
          if (!(error instanceof EngineUnavailableError) || ++failures === MAX_FAILURES) throw error
        }
        await pause(attempts)
      }
      throw new EngineUnavailableError('a member’s state could not be changed in time')
    },
    forget: (member) => forget(engine, queries, member),
    version: (member) => version(member),
    async since(member, number) {
      const rows = await engine.read(queries.all, [member])
      return rows
        .filter((row) => row['number'] > number)
        .map(toChange)
        .sort((a, b) => a.number - b.number)
    },
  }
}

/** Uses transactions, so that the order does not depend on clocks. */
async function forget(
  engine: Engine,
  queries: ReturnType<typeof queriesOf>,
  member: string,
): Promise<void> {
  for (let slices = 0; slices < MAX_SLICES; slices++) {
    const [row] = await engine.read(queries.version, [member], { serial: true })
    const rows = await engine.read(queries.keys, [member])
    const keys = rows.flatMap((row) => row['key'] ?? []).slice(0, MAX_CHANGES_AT_ONCE)
    if (keys.length === 0) return
    const from: number = row?.['version'] ?? 0
    const drops = keys.map((key) => ({ query: queries.drop, values: [member, key] }))
    await engine.decide([{ query: queries.advance, values: [from + 1, member, from] }, ...drops])
  }
}

function toChange(row: Row): NumberedChange {
  const { key, number, change } = row as unknown as NumberedChange
  return { key, number, change, madeAt: Number(row['made_at']) }
}

/**
 * Grows with each attempt, and is random, so that two writers that collided do not collide again.
 */
function pause(attempts: number): Promise<void> {
  const most = backoffMs({ firstMs: 1, longestMs: LONGEST_PAUSE_MS, failures: attempts })
  return new Promise((resolve) => setTimeout(resolve, Math.random() * most))
}
