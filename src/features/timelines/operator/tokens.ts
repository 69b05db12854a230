// Tokens for programs, as an operator makes and sees them. The token itself is shown only once.

import type { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { Logger } from '../../../base/obs/log.ts'
import { DAY_MS } from '../../../base/util/durations.ts'
import { isWithin } from '../../../base/util/is-within.ts'
import { isoTime } from '../../../base/util/iso-time.ts'
import type { IngestConnection } from '../../../bridge/connection.ts'
import type { Db } from '../../../data/store/db.ts'
import { OperatorError } from '../../../http/operator/operator-error.ts'
import { isScope, MAX_SCOPES, SCOPE_HINT } from '../http/scopes.ts'
import type { TokenRequests } from '../requests.ts'
import {
  findServiceTokenNamed,
  listServiceTokens,
  newServiceToken,
  type ServiceTokenRow,
  tokenDigest,
} from '../store/programs/service-tokens.ts'

export type TokenLine = {
  name: string
  scopes: string[]
  rate: number
  createdAt: string
  expiresAt: string | undefined
  revokedAt: string | undefined
}

type TokenFields = {
  name: string
  scopes: string[]
  rate: number
  days: number | undefined
  /** Made elsewhere: the nodes of one place use the same token. */
  token?: string | undefined
}

type Dependencies = {
  db: Db
  ingest: Pick<IngestConnection, 'operate'>
  log: Pick<Logger, 'info'>
  /** Reads a bounded body. */
  readJson: (request: { text(): Promise<string> }) => Promise<object>
  now?: () => number
}

type TokenRequest = {
  [Kind in keyof TokenRequests]: { kind: Kind; body: TokenRequests[Kind] }
}[keyof TokenRequests]

const MAX_REQUEST_BYTES = 16_384
export const DEFAULT_RATE = 60_000
export const MAX_RATE = 100_000_000
export const MAX_DAYS = 36_500
const TOKEN = /^slt_[A-Za-z0-9_-]{43}$/
const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/

/**
 * GET /tokens; POST /tokens with `{name, scopes, rate?, days?, token?}`; DELETE /tokens/:name.
 */
export function addTokens(
  app: Hono,
  { db, ingest, log, readJson, now = Date.now }: Dependencies,
): void {
  const operate = (request: TokenRequest) => ingest.operate(request)
  app.get('/tokens', (c) => c.json({ tokens: listServiceTokens(db).map(tokenLine) }))
  app.post('/tokens', bodyLimit({ maxSize: MAX_REQUEST_BYTES }), async (c) => {
    const fields = checkTokenFields(await readJson(c.req))
    if (findServiceTokenNamed(db, fields.name)) throw takenName(fields.name)
    const token = fields.token ?? newServiceToken()
    await operate({ kind: 'timelines/create-token', body: rowOf(fields, token, now()) })
    log.info({ name: fields.name, scopes: fields.scopes }, 'token made by the operator')
    return c.json({ ...fields, token })
  })
  app.delete('/tokens/:name', async (c) => {
    const name = c.req.param('name')
    const { revoked } = await operate({ kind: 'timelines/revoke-token', body: { name } })
    if (revoked !== 1) {
      throw new OperatorError(
        404,
        'There is no such active token.',
        '`slipstream token list` lists them.',
      )
    }
    log.info({ name }, 'token revoked by the operator')
    return c.json({ name })
  })
}

/** Whether a token can have this name; anything else would be another address, too. */
export function isTokenName(name: string): boolean {
  return NAME.test(name)
}

export function tokenLine(row: ServiceTokenRow): TokenLine {
  return {
    name: row.name,
    scopes: JSON.parse(row.scopes) as string[],
    rate: row.rate,
    createdAt: isoTime(row.created_at),
    expiresAt: isoTime(row.expires_at),
    revokedAt: isoTime(row.revoked_at),
  }
}

/** The token's stored row. */
export function rowOf(fields: TokenFields, token: string, now: number) {
  const { name, scopes, rate, days } = fields
  const expiresAt = days === undefined ? null : now + days * DAY_MS
  return { name, digest: tokenDigest(token), scopes, rate, expiresAt }
}

/** @throws OperatorError */
export function checkTokenFields(body: object): TokenFields {
  const { name, scopes, rate = DEFAULT_RATE, days, token } = body as Record<string, unknown>
  if (typeof name !== 'string' || !isTokenName(name)) {
    throw new OperatorError(
      400,
      'The token needs a name.',
      'Up to 64 lower-case letters, digits, dots and hyphens.',
    )
  }
  const isFit = Array.isArray(scopes) && scopes.length > 0 && scopes.length <= MAX_SCOPES
  const unfit = isFit
    ? scopes.find((scope) => typeof scope !== 'string' || !isScope(scope))
    : undefined
  if (!isFit || unfit !== undefined) {
    const which = unfit === undefined ? '' : `: ${JSON.stringify(unfit)}`
    throw new OperatorError(400, `The token’s scopes are invalid${which}.`, SCOPE_HINT)
  }
  if (!isWithin(rate, 0, MAX_RATE) || !(days === undefined || isWithin(days, 1, MAX_DAYS))) {
    throw new OperatorError(
      400,
      'The token’s rate or days are unfit.',
      `rate: requests in five minutes, up to ${MAX_RATE}, 0 for no limit; days: from 1 to ${MAX_DAYS}.`,
    )
  }
  if (token !== undefined && !(typeof token === 'string' && TOKEN.test(token))) {
    throw new OperatorError(
      400,
      'This is not a token made by a node.',
      'Give one that `slipstream token create` showed on another node.',
    )
  }
  return { name, scopes: scopes as string[], rate, days, ...(token && { token }) } as TokenFields
}

function takenName(name: string): OperatorError {
  return new OperatorError(
    409,
    `There is, or was, a token called ${name}.`,
    'A name is used once, so that logs stay clear: choose another.',
  )
}
