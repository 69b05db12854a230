// Everything that a client without a valid token may ask for, by kinds of route: answers and refusals, those
// that cost points and those that cost none.

import { otherRequests } from '../costly/every-request.ts'
import type { Request } from '../costly/requests.ts'
import type { Cast } from '../costly/worst-rows.ts'
import { attacksOver } from './attacks.ts'
import type { Bid } from './buyer.ts'

export type Family = { name: string; bids: readonly Bid[] }

const XRPC = '/xrpc'
const PROFILE = `${XRPC}/app.bsky.actor.getProfile`
const JSON_BODY = { 'content-type': 'application/json' }
const BODY_LENGTH = 90_000
const GARBAGE = `Bearer ${'x'.repeat(500)}`

export function familiesOver(cast: Cast): Family[] {
  const [actor] = cast.actors
  const beside = otherRequests(cast).filter(({ token, viewer }) => !token && !viewer)
  const under = (...prefixes: string[]) =>
    beside.filter(({ path }) => prefixes.some((prefix) => path.startsWith(prefix))).map(asBid)
  return [
    { name: 'queries that are made to cost much', bids: costly(cast) },
    { name: 'light queries', bids: [get(`${PROFILE}?actor=${actor}`)] },
    { name: 'pages for visitors', bids: under('/profile', '/hashtag') },
    { name: 'Atom feeds', bids: under('/profile').filter(({ path }) => path.endsWith('.atom')) },
    { name: 'pages of this server', bids: gets(['/', '/read', '/explore', '/invite', '/figures']) },
    { name: 'the explore view', bids: explore(actor!) },
    {
      name: "operator's routes",
      bids: gets(['/operator/status', '/operator/members', '/metrics']),
    },
    { name: 'media', bids: media(actor!) },
    { name: '/v1', bids: v1(cast) },
    { name: 'health', bids: [get(`${XRPC}/_health`)] },
    { name: 'OPTIONS', bids: [{ verb: 'OPTIONS', path: PROFILE }] },
    { name: 'files', bids: files() },
    { name: 'refusals', bids: refusals(actor!) },
    { name: 'forged tokens', bids: forged(actor!) },
    { name: 'bodies', bids: bodies() },
    { name: 'what is no request', bids: [{ verb: 'RAW', path: 'GET / HTTP/9.9\r\n\r\n' }] },
    { name: 'connections', bids: [{ verb: 'CONNECT', path: '' }] },
  ]
}

function costly(cast: Cast): Bid[] {
  const attacks = attacksOver(cast).filter(({ by }) => by?.includes('a visitor') ?? true)
  return attacks.flatMap(({ requests }) => requests.map(asBid))
}

function explore(actor: string): Bid[] {
  return ['overview', 'figures', 'history/hour', 'newcomers', `account?actor=${actor}`].map(
    (name) => get(`/explore/api/${name}`),
  )
}

function media(actor: string): Bid[] {
  const cid = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'
  return gets([
    `/img/avatar/plain/${actor}/${cid}@jpeg`,
    `/blob/${actor}/${cid}`,
    `/video/watch/${actor}/${cid}/playlist.m3u8`,
  ])
}

function v1({ lists }: Cast): Bid[] {
  const key = encodeURIComponent(`list:${lists[0]}`)
  return [
    get(`/v1/timelines/${key}/events?limit=100`),
    get(`/v1/timelines/${key}/stream`),
    get('/v1/graph/counts?actor=x', { authorization: GARBAGE }),
    { verb: 'POST', path: `/v1/timelines/${key}/events`, headers: JSON_BODY, body: '{}' },
  ]
}

function files(): Bid[] {
  return gets([
    '/robots.txt',
    '/favicon.ico',
    '/.well-known/did.json',
    '/read/assets/read.js',
    '/page/assets/page.css',
    '/oauth/client-metadata.json',
  ])
}

function refusals(actor: string): Bid[] {
  return [
    ...gets([`${PROFILE}?actor=${'%'.repeat(500)}`, `${XRPC}/com.example.nothing`, `${XRPC}/!`]),
    ...gets(['/nothing', `${XRPC}/app.bsky.feed.getTimeline`, `/${'a/'.repeat(2_000)}`]),
    { verb: 'DELETE', path: `${PROFILE}?actor=${actor}` },
    { verb: 'POST', path: `${PROFILE}?actor=${actor}`, headers: JSON_BODY, body: '{}' },
  ]
}

/** Of a form that is read whole, by an account that exists, and one of a domain of its own. */
function forged(actor: string): Bid[] {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const token = (iss: string) => {
    const exp = Math.floor(Date.now() / 1_000) + 60 * 60
    const claims = { iss, aud: 'did:web:costly.test', exp, lxm: 'app.bsky.actor.getProfile' }
    const signature = Buffer.alloc(64, 1).toString('base64url')
    return `Bearer ${part({ typ: 'JWT', alg: 'ES256K' })}.${part(claims)}.${signature}`
  }
  const issuers = [actor, ...Array.from({ length: 50 }, (_, i) => `did:web:h${i}.invalid`)]
  const nobody = issuers.map((iss) =>
    get(`${PROFILE}?actor=${actor}`, { authorization: token(iss) }),
  )
  return [get(`${PROFILE}?actor=${actor}`, { authorization: GARBAGE }), ...nobody]
}

function bodies(): Bid[] {
  const body = JSON.stringify({ preferences: 'x'.repeat(BODY_LENGTH) })
  return ['app.bsky.actor.putPreferences', 'com.atproto.moderation.createReport'].map((name) => ({
    verb: 'POST',
    path: `${XRPC}/${name}`,
    headers: JSON_BODY,
    body,
  }))
}

function gets(paths: readonly string[]): Bid[] {
  return paths.map((path) => get(path))
}

function get(path: string, headers?: Record<string, string>): Bid {
  return { verb: 'GET', path, ...(headers && { headers }) }
}

function asBid({ path, headers, verb }: Request): Bid {
  return { verb: verb ?? 'GET', path, ...(headers && { headers }) }
}
