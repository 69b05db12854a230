// Invites, as an operator makes and sees them.

import type { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { Config } from '../../base/config/config.ts'
import { isByInvite } from '../../base/config/members.ts'
import type { Logger } from '../../base/obs/log.ts'
import { DAY_MS } from '../../base/util/durations.ts'
import { isWithin } from '../../base/util/is-within.ts'
import { isoTime } from '../../base/util/iso-time.ts'
import type { IngestConnection } from '../../bridge/connection.ts'
import type { Db } from '../../data/store/db.ts'
import { newInviteCode, readInviteCode } from '../../data/store/members/invite-code.ts'
import { type InviteRow, listInvites } from '../../data/store/members/invites.ts'
import { OperatorError } from './operator-error.ts'

export type InviteLine = {
  code: string
  note: string
  maxUses: number
  uses: number
  createdAt: string
  expiresAt: string | undefined
  disabledAt: string | undefined
}

type Dependencies = {
  config: Pick<Config, 'members' | 'publicOrigin'>
  db: Db
  ingest: IngestConnection
  log: Pick<Logger, 'info'>
  now?: () => number
}
type InviteRequest = { maxUses: number; note: string; days: number | undefined }

const MAX_REQUEST_BYTES = 4096
export const MAX_LISTED_INVITES = 10_000
const MAX_USES = 1_000_000
const MAX_DAYS = 36_500
const MAX_NOTE_LENGTH = 200

/**
 * GET /invites; POST /invites with `{maxUses?, note?, days?}`; DELETE /invites/:code.
 * @param readJson - reads a bounded body.
 */
export function addInvites(
  app: Hono,
  { config, db, ingest, log, now = Date.now }: Dependencies,
  readJson: (request: { text(): Promise<string> }) => Promise<object>,
): void {
  app.get('/invites', (c) =>
    c.json({ invites: listInvites(db, MAX_LISTED_INVITES).map(inviteLine) }),
  )
  app.post('/invites', bodyLimit({ maxSize: MAX_REQUEST_BYTES }), async (c) => {
    const { maxUses, note, days } = readRequest(await readJson(c.req))
    const code = newInviteCode()
    const expiresAt = days === undefined ? null : now() + days * DAY_MS
    await ingest.operate({ kind: 'create-invite', code, maxUses, note, expiresAt })
    log.info({ maxUses, days }, 'invite made by the operator')
    const page = isByInvite(config.members) ? `${config.publicOrigin}/invite` : undefined
    return c.json({ code, maxUses, note, expiresAt: isoTime(expiresAt), page })
  })
  app.delete('/invites/:code', async (c) => {
    const code = readInviteCode(c.req.param('code'))
    const { disabled = 0 } = code ? await ingest.operate({ kind: 'disable-invite', code }) : {}
    if (!code || disabled === 0) {
      throw new OperatorError(
        404,
        'There is no such active invite.',
        '`slipstream invite list` lists them.',
      )
    }
    log.info('invite disabled by the operator')
    return c.json({ code })
  })
}

export function inviteLine(row: InviteRow): InviteLine {
  return {
    code: row.code,
    note: row.note,
    maxUses: row.max_uses,
    uses: row.uses,
    createdAt: isoTime(row.created_at),
    expiresAt: isoTime(row.expires_at),
    disabledAt: isoTime(row.disabled_at),
  }
}

function readRequest(body: object): InviteRequest {
  const { maxUses = 1, note = '', days } = body as Record<string, unknown>
  const isFit =
    isWithin(maxUses, 1, MAX_USES) &&
    typeof note === 'string' &&
    note.length <= MAX_NOTE_LENGTH &&
    (days === undefined || isWithin(days, 1, MAX_DAYS))
  if (isFit) return { maxUses, note, days } as InviteRequest
  throw new OperatorError(
    400,
    'The request for an invite is invalid.',
    `maxUses: from 1 to ${MAX_USES}; days: from 1 to ${MAX_DAYS}; note: up to ${MAX_NOTE_LENGTH} characters.`,
  )
}
