// The simulated accounts' PDSs as a person's client uses them: OAuth, writes to the own repository, preferences,
// and calls that are forwarded to an AppView with a service JWT (`atproto-proxy`).

import type { Context, Hono } from 'hono'
import { cors } from 'hono/cors'
import { blobCid } from '../../blob-host.ts'
import type { Commit, SimulatedAccount } from '../repository.ts'
import { type Consent, createSessions } from './sessions.ts'

export type Homes = {
  /** The AppView to which calls are forwarded: its DID, and where it listens. */
  appview: { did: string; origin: string } | undefined
  readonly consent: Consent
  /** See `Sessions`. */
  end(which: 'access' | 'all'): void
}

type Dependencies = {
  origin: string
  byName: (name: string | undefined) => SimulatedAccount | undefined
  serviceJwt: (claims: { iss: string; aud: string; lxm: string }) => Promise<string>
  /** Called with what is written. */
  emit: (commit: Commit) => void
  blobs: Map<string, Buffer>
}

type Write = { collection: string; rkey?: string; record?: Record<string, unknown> }

const ON_WAY_BACK = ['atproto-content-labelers', 'atproto-repo-rev', 'content-type', 'retry-after']
const EXPOSED = ['DPoP-Nonce', 'WWW-Authenticate', ...ON_WAY_BACK]
const LABELERS = 'atproto-accept-labelers'

/** Adds the routes; what is not a signed-in call goes on to those that the server has besides. */
export function addHomes(app: Hono, parts: Dependencies): Homes {
  const consent: Consent = { answer: 'granted', isGranular: true }
  const sessions = createSessions({
    origin: parts.origin,
    didOf: (name) => parts.byName(name)?.did,
    consent,
  })
  const homes: Homes = { appview: undefined, consent, end: sessions.end }
  app.use('*', cors({ origin: '*', exposeHeaders: EXPOSED, maxAge: 600 }))
  app.route('/', sessions.app)
  const own = ownMethods(parts)
  app.use('/xrpc/*', async (c, next) => {
    const authorization = c.req.header('authorization') ?? ''
    if (!authorization.startsWith('DPoP ')) return next()
    const account = parts.byName(sessions.accountOf(c.req.raw))
    if (!account) return tokenIsOver(c)
    const method = c.req.path.slice('/xrpc/'.length)
    const to = c.req.header('atproto-proxy')
    if (to) return forwarded(c, { homes, parts, account, method, to })
    return own[method]?.(c, account) ?? next()
  })
  return homes
}

function tokenIsOver(c: Context) {
  const header = 'DPoP error="invalid_token", error_description="the token is unknown or over"'
  const body = { error: 'invalid_token', message: 'The token is unknown or over' }
  return c.json(body, 401, { 'www-authenticate': header })
}

type OwnMethod = (c: Context, account: SimulatedAccount) => Response | Promise<Response>

function ownMethods({ emit, blobs }: Dependencies): Record<string, OwnMethod> {
  const preferences = new Map<string, unknown[]>()
  const put: OwnMethod = async (c, account) => {
    const { collection, rkey, record = {} } = await c.req.json<Write>()
    const commit = account.put({
      collection,
      value: record,
      atMs: Date.now(),
      ...(rkey !== undefined && { rkey }),
    })
    emit(commit)
    const cid = commit.operation === 'delete' ? '' : commit.cid
    return c.json({ uri: `at://${account.did}/${collection}/${commit.rkey}`, cid })
  }
  return {
    'com.atproto.repo.createRecord': put,
    'com.atproto.repo.putRecord': put,
    'com.atproto.repo.deleteRecord': async (c, account) => {
      const { collection, rkey = '' } = await c.req.json<Write>()
      const commit = account.remove(collection, rkey, Date.now())
      if (commit) emit(commit)
      return c.json({})
    },
    'com.atproto.repo.uploadBlob': async (c) => {
      const body = Buffer.from(await c.req.arrayBuffer())
      const link = blobCid(body)
      blobs.set(link, body)
      const mimeType = c.req.header('content-type') ?? 'application/octet-stream'
      return c.json({
        blob: { $type: 'blob', ref: { $link: link }, mimeType, size: body.length },
      })
    },
    'app.bsky.actor.getPreferences': (c, { did }) =>
      c.json({ preferences: preferences.get(did) ?? [] }),
    'app.bsky.actor.putPreferences': async (c, { did }) => {
      preferences.set(did, (await c.req.json<{ preferences: unknown[] }>()).preferences)
      return c.body(null, 200)
    },
  }
}

async function forwarded(
  c: Context,
  call: {
    homes: Homes
    parts: Dependencies
    account: SimulatedAccount
    method: string
    to: string
  },
): Promise<Response> {
  const { homes, parts, account, method, to } = call
  const aud = to.split('#')[0]!
  const { appview } = homes
  if (!appview || appview.did !== aud) {
    return c.json({ error: 'InvalidRequest', message: `could not resolve proxy did ${aud}` }, 400)
  }
  const jwt = await parts.serviceJwt({ iss: account.did, aud, lxm: method })
  const { pathname, search } = new URL(c.req.url)
  const { method: verb } = c.req.raw
  const labelers = c.req.header(LABELERS)
  const type = c.req.header('content-type')
  const answer = await fetch(`${appview.origin}${pathname}${search}`, {
    method: verb,
    headers: {
      authorization: `Bearer ${jwt}`,
      ...(type && { 'content-type': type }),
      ...(labelers && { [LABELERS]: labelers }),
    },
    body: verb === 'POST' ? await c.req.arrayBuffer() : null,
  }).catch(() => undefined)
  if (!answer) return c.json({ error: 'UpstreamFailure', message: 'pipethru failed' }, 502)
  const headers = Object.fromEntries(
    ON_WAY_BACK.flatMap((name) => {
      const value = answer.headers.get(name)
      return value === null ? [] : [[name, value]]
    }),
  )
  return c.body(await answer.arrayBuffer(), answer.status as 200, headers)
}
