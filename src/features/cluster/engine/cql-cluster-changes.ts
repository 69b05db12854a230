// The nodes' shared changes of their cluster on a CQL engine: one partition, ordered by number. A change is
// written by a lightweight transaction, on the condition that the version is the one its writer knows, and
// deletes the row of the change that it replaces.

import { assert } from '../../../base/util/assert.ts'
import {
  type ClusterChanges,
  MAX_CLUSTER_CHANGES_AT_ONCE,
  type NumberedClusterChange,
} from './cluster-changes.ts'
import type { Engine, Row } from './connect.ts'

const CLUSTER = 'slipstream'

export function createCqlClusterChanges(engine: Engine): ClusterChanges {
  const table = `${engine.keyspace}.place_changes`
  const queries = {
    state: `SELECT version, gone_until FROM ${table} WHERE place = ? LIMIT 1`,
    since: `SELECT number, key, change, is_gone FROM ${table} WHERE place = ? AND number > ?`,
    advance: `UPDATE ${table} SET version = ? WHERE place = ? IF version = ?`,
    put: `INSERT INTO ${table} (place, number, key, change, is_gone) VALUES (?, ?, ?, ?, ?)`,
    drop: `DELETE FROM ${table} WHERE place = ? AND number = ?`,
    prune: `UPDATE ${table} SET gone_until = ? WHERE place = ? IF version = ?`,
  }

  async function state(): Promise<{ version: number; goneUntil: number }> {
    const [row] = await engine.read(queries.state, [CLUSTER])
    return { version: row?.['version'] ?? 0, goneUntil: row?.['gone_until'] ?? 0 }
  }

  return {
    version: async () => (await state()).version,
    async since(number) {
      const { version, goneUntil } = await state()
      const isComplete = number < goneUntil || number > version
      const rows = await engine.read(queries.since, [CLUSTER, isComplete ? 0 : number])
      const changes = rows.map(toChange)
      // Other nodes may write meanwhile. If a key's row is replaced, its new row has a higher
      // number, so no key is missed.
      const to = Math.max(version, changes.at(-1)?.number ?? 0)
      return { version: to, changes, isComplete, goneUntil }
    },
    async put(version, changes) {
      assert(
        changes.length > 0 && changes.length <= MAX_CLUSTER_CHANGES_AT_ONCE,
        'a batch of changes',
      )
      const to = version + changes.length
      const advance = {
        query: queries.advance,
        values: [to, CLUSTER, version === 0 ? null : version],
      }
      const puts = changes.map(({ key, change, isGone }, i) => {
        return { query: queries.put, values: [CLUSTER, version + 1 + i, key, change, isGone] }
      })
      const drops = changes.flatMap(({ replaces }) =>
        replaces === undefined ? [] : [{ query: queries.drop, values: [CLUSTER, replaces] }],
      )
      return engine.decide([advance, ...puts, ...drops])
    },
    async prune(version, numbers) {
      const values = [Math.max(...numbers), CLUSTER, version]
      const drops = numbers.map((number) => ({ query: queries.drop, values: [CLUSTER, number] }))
      return engine.decide([{ query: queries.prune, values }, ...drops])
    },
  }
}

function toChange(row: Row): NumberedClusterChange {
  const { number, key, change } = row as unknown as NumberedClusterChange
  return { number, key, change, isGone: row['is_gone'] === true }
}
