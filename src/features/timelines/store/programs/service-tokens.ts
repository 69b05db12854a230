// Named tokens that the operator gives to programs. Only a token's digest is stored.

import { hash, randomBytes } from 'node:crypto'
import { LruMap } from '../../../../base/util/lru.ts'
import type { Db, WriteDb } from '../../../../data/store/db.ts'
import { perDatabase } from '../../../../data/store/per-database.ts'
import { untilCommit } from '../../../../data/store/until-commit.ts'

export type ServiceTokenRow = {
  name: string
  /** JSON: an array of scopes. */
  scopes: string
  /** Requests in five minutes; 0: no limit. */
  rate: number
  created_at: number
  expires_at: number | null
  revoked_at: number | null
}

/** The complete row. */
export type StoredToken = ServiceTokenRow & { digest: Buffer }

export type NewServiceToken = {
  name: string
  digest: Buffer
  scopes: readonly string[]
  rate: number
  /** Milliseconds since 1970; null: never. */
  expiresAt: number | null
}

const COLUMNS = 'name, scopes, rate, created_at, expires_at, revoked_at'

const statements = perDatabase((db) => ({
  find: db.prepare<[Buffer, number], ServiceTokenRow>(
    `SELECT ${COLUMNS} FROM service_tokens
      WHERE digest = ? AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)`,
  ),
  named: db.prepare<[string], ServiceTokenRow>(
    `SELECT ${COLUMNS} FROM service_tokens WHERE name = ?`,
  ),
  insert: db.prepare<[string, Buffer, string, number, number, number | null]>(
    `INSERT INTO service_tokens (name, digest, scopes, rate, created_at, expires_at)
      VALUES (?, ?, ?, ?, ?, ?)`,
  ),
  revoke: db.prepare<[number, string]>(
    'UPDATE service_tokens SET revoked_at = ? WHERE name = ? AND revoked_at IS NULL',
  ),
  all: db.prepare<[], ServiceTokenRow>(
    `SELECT ${COLUMNS} FROM service_tokens ORDER BY created_at DESC, name`,
  ),
  count: db.prepare<[], number>('SELECT count(*) FROM service_tokens').pluck(),
  stored: db.prepare<[string], StoredToken>(
    `SELECT ${COLUMNS}, digest FROM service_tokens WHERE name = ?`,
  ),
  store: db.prepare<[StoredToken]>(
    `INSERT OR REPLACE INTO service_tokens (${COLUMNS}, digest)
      VALUES (@name, @scopes, @rate, @created_at, @expires_at, @revoked_at, @digest)`,
  ),
}))

const PREFIX = 'slt_'
const TOKEN_BYTES = 32

export function newServiceToken(): string {
  return PREFIX + randomBytes(TOKEN_BYTES).toString('base64url')
}

export function isServiceToken(text: string): boolean {
  return text.startsWith(PREFIX)
}

export function tokenDigest(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

/** Looks up a token: undefined if it is expired, revoked or unknown. */
type FindServiceToken = (token: string, now: number) => ServiceTokenRow | undefined

const MAX_REMEMBERED = 1_000

/**
 * For a read-only connection. Caches found tokens until the next commit, so that only one of many
 * requests between two commits pays for the digest and the row, and a revoked token ends at once.
 */
export function prepareFindServiceToken(db: Db): FindServiceToken {
  const { find } = statements(db)
  const remembered = untilCommit(db, () => new LruMap<string, ServiceTokenRow>(MAX_REMEMBERED))
  return (token, now) => {
    const found = remembered()
    const known = found.get(token)
    if (known) return known.expires_at === null || known.expires_at > now ? known : undefined
    const row = find.get(tokenDigest(token), now)
    if (row) found.set(token, row)
    return row
  }
}

export function findServiceTokenNamed(db: Db, name: string): ServiceTokenRow | undefined {
  return statements(db).named.get(name)
}

export function insertServiceToken(db: WriteDb, token: NewServiceToken, now: number): void {
  const { name, digest, scopes, rate, expiresAt } = token
  statements(db).insert.run(name, digest, JSON.stringify(scopes), rate, now, expiresAt)
}

/** @returns whether the token existed and was not revoked before */
export function revokeServiceToken(db: WriteDb, name: string, now: number): boolean {
  return statements(db).revoke.run(now, name).changes > 0
}

export function listServiceTokens(db: Db): ServiceTokenRow[] {
  return statements(db).all.all()
}

export function countServiceTokens(db: Db): number {
  return statements(db).count.get() ?? 0
}

export function findStoredToken(db: Db, name: string): StoredToken | undefined {
  return statements(db).stored.get(name)
}

/** Stores a token of another node. */
export function storeToken(db: WriteDb, token: StoredToken): void {
  statements(db).store.run(token)
}
