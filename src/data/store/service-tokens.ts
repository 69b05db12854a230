// Named tokens that the operator gives to programs. Of a token only its digest is kept.

import { hash, randomBytes } from 'node:crypto'
import { LruMap } from '../../base/util/lru.ts'
import type { Db, WriteDb } from './db.ts'
import { perDatabase } from './per-database.ts'
import { untilCommit } from './until-commit.ts'

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

/** As a whole. */
export type StoredToken = ServiceTokenRow & { digest: Buffer }

export type ServiceTokenWish = {
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

/** Looks for a token: undefined for one that is over, was revoked, or never was. */
type FindServiceToken = (token: string, now: number) => ServiceTokenRow | undefined

const MAX_REMEMBERED = 1_000

/**
 * For a connection that only reads. Whom it found it remembers until anything is committed, so that of the many
 * requests between two commits one pays for the digest and the row, and a revoked token ends at once.
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

export function insertServiceToken(db: WriteDb, wish: ServiceTokenWish, now: number): void {
  const { name, digest, scopes, rate, expiresAt } = wish
  statements(db).insert.run(name, digest, JSON.stringify(scopes), rate, now, expiresAt)
}

/** @returns whether there was such a token, and it was not revoked before. */
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

/** As another node has it. */
export function storeToken(db: WriteDb, token: StoredToken): void {
  statements(db).store.run(token)
}
