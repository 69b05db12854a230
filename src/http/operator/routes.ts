// The operator's routes, all JSON: the same on the control socket in the data folder, which only the
// user that runs Slipstream can open, and under /operator/ over HTTP with the operator's token
// (guard.ts). Errors say what is wrong and what to do about it.

import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { stream } from 'hono/streaming'
import { XRPCError } from '../../base/atproto/xrpc-error.ts'
import { type Config, ConfigError } from '../../base/config/config.ts'
import { whyReturning } from '../../base/config/members.ts'
import type { Logger } from '../../base/obs/log.ts'
import { CallTime, inLaterTurn, inTurns } from '../../base/util/turn.ts'
import { version } from '../../base/util/version.ts'
import type { IngestConnection } from '../../bridge/connection.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import type { Db } from '../../data/store/db.ts'
import { DiskFullError } from '../../data/store/files/disk-full.ts'
import { findMember } from '../../data/store/members/members.ts'
import { uidOfDid } from '../../data/store/records/actors.ts'
import { gapCounts, listGaps } from '../../data/store/stream/gaps.ts'
import { parseState } from '../../ingest/indexing/member-state/document.ts'
import { readStateInSteps } from '../../ingest/indexing/member-state/read-state.ts'
import type { Resolver } from '../../sources/identity/resolver.ts'
import type { ServeFeature } from '../feature.ts'
import { readFacts } from './facts.ts'
import { reportOf } from './feature-report.ts'
import { requireOperator } from './guard.ts'
import { importStream } from './import-stream.ts'
import { addInvites } from './invites.ts'
import { accountKnownAs, listMembers, resolveAccount } from './members.ts'
import { addModeration } from './moderation.ts'
import { monthOf } from './month.ts'
import { backUpOnline } from './online-backup.ts'
import { type ErrorBody, OperatorError } from './operator-error.ts'
import { readingLink } from './reading-link.ts'

type OperatorContext = {
  config: Config
  features: readonly Pick<ServeFeature, 'operatorHints' | 'operatorRoutes' | 'report'>[]
  db: Db
  actors: Pick<ActorReader, 'uidOf'>
  ingest: IngestConnection
  resolver: Resolver
  log: Pick<Logger, 'info' | 'error'>
  /** True on the socket, whose clients may write the same files as we. */
  isLocal: boolean
}

type App = Hono

/** On the socket, no call's time is measured, and others need the thread as much. */
const STATE_TURN_MS = 20
const JSON_TYPE = { 'content-type': 'application/json' }

/** By the name of the ingest's error. */
const HINTS: Record<string, string> = {
  ModerationError: '`slipstream moderation list` shows what is decided; `allow` ends a ban.',
  InviteError: '`slipstream invite list` lists them.',
}
type BackupRequest = { into?: string; keep?: number; check?: 'full' | 'quick' }

const MAX_DOCUMENT_BYTES = 64 << 20
const MAX_SMALL_BYTES = 64 << 10
const MAX_GAPS = 1_000
const DEFAULT_GAPS = 100

/** Routes over HTTP, behind the token; for the server's `sideRoutes`. */
export function operatorRoutes(context: Omit<OperatorContext, 'isLocal'>) {
  const app = new Hono()
  app.use('*', requireOperator(context.config))
  app.route('/', createOperatorRoutes({ ...context, isLocal: false }))
  const charge = { route: 'operator', points: 1, from: 'operator' } as const
  return { path: '/operator', app, charges: [charge] }
}

export function createOperatorRoutes(context: OperatorContext): Hono {
  const app = new Hono()
  const hints = Object.assign(
    {},
    HINTS,
    ...context.features.map((feature) => feature.operatorHints),
  )
  app.onError((error, c) => {
    const { status, body } = toAnswer(error, hints)
    if (status === 500) context.log.error({ err: error, path: c.req.path }, 'operator route failed')
    return c.json(body, status)
  })
  addReading(app, context)
  addMembers(app, context)
  addInvites(app, context, readJson)
  addModeration(app, context, readJson)
  for (const feature of context.features) feature.operatorRoutes?.(app, { ...context, readJson })
  addLongWork(app, context)
  return app
}

function addReading(app: App, { config, features, db, ingest }: OperatorContext): void {
  app.get('/status', (c) =>
    reportOf(features, { db, config }).then(inLaterTurn((report) => c.json(statusWith(report)))),
  )
  const statusWith = (ofFeatures: Awaited<ReturnType<typeof reportOf>>) => {
    const status = ingest.status()
    const facts = readFacts(db, config.dataDir, status?.follows ?? 0)
    return {
      version,
      pid: process.pid,
      uptimeSeconds: Math.round(process.uptime()),
      origin: config.publicOrigin,
      bind: config.bind,
      port: config.port,
      did: config.serviceDid,
      scope: config.indexScope,
      facts: { ...facts, ...ofFeatures.facts },
      ...ofFeatures.status,
      ingest: status,
    }
  }
  app.get('/month', (c) => c.json(monthOf(db, Date.now())))
  app.get('/gaps', (c) => {
    const limit = Number(c.req.query('limit') ?? DEFAULT_GAPS)
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_GAPS) {
      throw new OperatorError(
        400,
        'The limit is invalid.',
        `Give a whole number from 1 to ${MAX_GAPS}.`,
      )
    }
    return c.json({ counts: gapCounts(db), gaps: listGaps(db, { limit }) })
  })
}

function addMembers(app: App, { config, db, ingest, resolver, log }: OperatorContext): void {
  app.get('/members', (c) => c.json({ members: listMembers(db, config) }))
  app.post('/members', limited(MAX_SMALL_BYTES), async (c) => {
    const { actor } = (await readJson(c.req)) as { actor?: unknown }
    const account = await resolveAccount(
      resolver,
      typeof actor === 'string' ? actor : '',
      (handle) => accountKnownAs(db, handle),
    )
    const { added } = await ingest.operate({ kind: 'add-member', did: account.did })
    log.info({ member: account.did, added }, 'member added by the operator')
    return c.json({ ...account, isNew: added === 1 })
  })
  app.delete('/members/:did', async (c) => {
    const did = c.req.param('did')
    const handle = listMembers(db, config).find((member) => member.did === did)?.handle
    const { removed } = await ingest.operate({ kind: 'remove-member', did })
    if (removed === 0) throw noMember(did)
    log.info({ member: did }, 'member removed by the operator')
    return c.json({ did, returns: whyReturning(config.members, { did, handle }) })
  })
  app.post('/members/:did/link', limited(MAX_SMALL_BYTES), async (c) => {
    const did = c.req.param('did')
    if (!listMembers(db, config).some((member) => member.did === did)) throw noMember(did)
    const { hours } = (await readJson(c.req)) as { hours?: unknown }
    return c.json(readingLink(config, { did, hours }))
  })
  app.get('/members/:did/state', async (c) => {
    const did = c.req.param('did')
    const uid = uidOfDid(db, did)
    if (uid === undefined || !findMember(db, uid)) throw noMember(did)
    const time = new CallTime({ turnMs: STATE_TURN_MS })
    const json = await time.run(() => inTurns(readStateInSteps(config.dataDir, did)))
    return c.body(json, 200, JSON_TYPE)
  })
  app.put('/members/state', limited(MAX_DOCUMENT_BYTES), async (c) => {
    const document = await c.req.text()
    const { did } = checkDocument(document)
    await ingest.operate({ kind: 'import-state', document })
    log.info({ member: did }, 'private state imported by the operator')
    return c.json({ did })
  })
}

function addLongWork(app: App, { config, ingest, log, isLocal }: OperatorContext): void {
  app.post('/backup', limited(MAX_SMALL_BYTES), async (c) => {
    const request = readBackupRequest(await readJson(c.req), isLocal)
    return stream(c, async (out) => {
      // One line of JSON each: progress, and finally the result.
      const tell = (line: object) => out.write(`${JSON.stringify(line)}\n`)
      try {
        const options = { dataDir: config.dataDir, ...request }
        const backup = await backUpOnline(options, (progress) => void tell({ progress }))
        log.info(backup, 'backup written')
        await tell({ backup })
      } catch (error) {
        log.error({ err: error }, 'backup failed')
        await tell(toAnswer(error).body)
      }
    })
  })
  app.post('/import-follows', async (c) => {
    const report = await importStream(bytesOf(c.req.raw.body), {
      operate: ingest.operate,
      isInScopeOnly: c.req.query('inScope') === '1',
      firstLine: Number(c.req.query('firstLine') ?? 1) || 1,
    })
    return c.json(report)
  })
}

function limited(maxSize: number) {
  return bodyLimit({
    maxSize,
    onError: () => {
      throw new OperatorError(413, 'The body is too large.', `At most ${maxSize} bytes.`)
    },
  })
}

/** An empty body counts as an empty object. */
async function readJson(request: { text(): Promise<string> }): Promise<object> {
  try {
    const value: unknown = JSON.parse((await request.text()) || '{}')
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // Reported below.
  }
  throw new OperatorError(
    400,
    'The body is not a JSON object.',
    'For example {"actor": "alice.example"}.',
  )
}

function readBackupRequest(body: object, isLocal: boolean): BackupRequest {
  const { into, keep, check } = body as Record<string, unknown>
  const isFit =
    (into === undefined || (isLocal && typeof into === 'string')) &&
    (keep === undefined || (Number.isInteger(keep) && Number(keep) > 0)) &&
    (check === undefined || check === 'full' || check === 'quick')
  if (isFit) return body as BackupRequest
  throw new OperatorError(
    400,
    'The request for a backup is invalid.',
    'keep: a whole number from 1; check: full or quick; into: a folder, on the machine itself only.',
  )
}

function checkDocument(document: string): { did: string } {
  try {
    return parseState(document)
  } catch (error) {
    throw new OperatorError(
      400,
      `The document of a member’s state is invalid: ${(error as Error).message}.`,
      'docs/MEMBER-STATE.md describes it; `slipstream member export` writes one.',
    )
  }
}

function noMember(did: string): OperatorError {
  return new OperatorError(404, `${did} is not a member.`, '`slipstream member list` lists them.')
}

async function* bytesOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  if (body) yield* body
}

function toAnswer(
  error: unknown,
  hints = HINTS,
): { status: OperatorError['status'] | 500; body: ErrorBody } {
  const { message } = error as Error
  if (error instanceof OperatorError) {
    return { status: error.status, body: { error: 'Refused', message, hint: error.hint } }
  }
  const hint = hints[(error as Error).name]
  if (hint) return { status: 409, body: { error: 'Refused', message, hint } }
  if (error instanceof XRPCError && error.status === 503) {
    const { hint = '`slipstream doctor` looks for the cause.' } = error
    return { status: 503, body: { error: 'Refused', message, hint } }
  }
  if (error instanceof ConfigError) {
    return { status: 409, body: { error: 'Refused', message, hint: error.hint } }
  }
  if (error instanceof DiskFullError) {
    const hint = 'Free some space and do it again: it was not done.'
    return { status: 503, body: { error: 'Refused', message: `${message}.`, hint } }
  }
  return { status: 500, body: { error: 'InternalError', message: 'Something broke; see the log.' } }
}
