// The reference's Postgres as the tests see it: they may write, and read what bsync's stream brought there, but not
// what the reference's own indexer made, which says nothing about Slipstream.

import type { TestBsky } from '@atproto/dev-env'
import type { Mirror } from './mirror.ts'

type Db = TestBsky['db']

const READABLE = new Set(['label', 'private_data', 'bookmark', 'draft', 'activity_subscription'])
const PRIVATE = new Set(['private_data', 'bookmark', 'draft', 'activity_subscription'])

export function createDatabaseFace(db: Db, mirror: Mirror): Db {
  const tables = new Proxy(db.db, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        const table = String(args[0])
        if (name === 'selectFrom' && !READABLE.has(table))
          throw new Error(`Slipstream has no table ${table}`)
        const query = value.apply(target, args)
        return name === 'deleteFrom' && PRIVATE.has(table)
          ? clearing(query, () => mirror.clear(table))
          : query
      }
    },
  })
  return new Proxy(db, {
    get(target, name) {
      if (name === 'db') return tables
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

function clearing(query: { execute: () => Promise<unknown> }, clear: () => Promise<void>): unknown {
  const execute = query.execute.bind(query)
  return Object.assign(query, {
    async execute() {
      await clear()
      return execute()
    },
  })
}
