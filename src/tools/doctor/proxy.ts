// Checks what the reverse proxy does to requests: whether it passes on client addresses that can't be forged,
// passes tokens, caches nothing, and lets through all that clients send. WebSocket upgrades are not needed.

import { lookup } from 'node:dns/promises'
import { within } from '../../base/util/waits.ts'
import { type DoctorContext, isLocalOnly, nameOf, runningServer } from './context.ts'
import { aboutGateway } from './face.ts'
import { type Finding, good, unchecked, wrong } from './finding.ts'
import { type Ask, jsonOf, type Reply } from './network/ask.ts'
import { reachable } from './port.ts'

const CHEAP = '/xrpc/app.bsky.unspecced.getConfig'
const WITH_TOKEN = '/xrpc/app.bsky.feed.getTimeline'
const WITH_BODY = '/xrpc/app.bsky.draft.createDraft'
/** A little less than Slipstream's own limit. */
const BODY_BYTES = 96 * 1024
/** Twenty-five posts by URI, or a hundred accounts, with a margin. */
const QUERY_BYTES = 6 * 1024
/** Statuses with which programs reject a URL that is too long. */
const TOO_LONG = new Set([400, 403, 413, 414, 431])
const CALLS = 3
const COUNTING_MS = 12_000
const FORGED = '192.0.2.77'

export async function checkProxy(doctor: DoctorContext): Promise<Finding[]> {
  const { config, ask, isOnline } = doctor
  if (isLocalOnly(config)) return [unchecked('localhost needs none')]
  const origin = config.publicOrigin
  const first = await ask(origin + CHEAP).catch(() => undefined)
  if (!first) return [unchecked((await isOnline()) ? `${origin} can’t be reached` : 'offline')]
  if (first.status >= 502 && first.status <= 504) return [aboutGateway(first.status, doctor)]
  if (first.status === 429)
    return [unchecked('this address has asked too often: try in five minutes')]
  const all = await Promise.all([
    aboutSlipstream(first),
    aboutTokens(ask, origin),
    aboutCaching(ask, origin, first),
    aboutBodies(ask, origin),
    aboutQueries(ask, origin),
    aboutMetrics(doctor),
  ])
  // This check counts requests, so no other may run meanwhile.
  const tooSlow = unchecked('the proxy is too slow to check how it passes on addresses')
  const notified = await within(COUNTING_MS, aboutAddresses(doctor))
  return [...all.flat(), ...(notified ?? [tooSlow])]
}

function aboutSlipstream(reply: Reply): Finding[] {
  const { status } = reply
  if (status === 200 && 'checkEmailConfirmed' in jsonOf(reply)) return []
  const fix =
    'Make the proxy send every request for this name to Slipstream: deploy/caddy/Caddyfile is an example.'
  return [wrong(`the server under /xrpc/ is not Slipstream (status ${status})`, fix)]
}

/** Slipstream's error for an invalid token differs from the one for a missing token. */
async function aboutTokens(ask: Ask, origin: string): Promise<Finding[]> {
  const headers = { authorization: 'Bearer doctor.doctor.doctor' }
  const reply = await ask(origin + WITH_TOKEN, { headers })
  const { error } = jsonOf(reply)
  if (reply.status === 401 && error === 'AuthMissing') {
    const fix =
      'Remove password protection and rules about the Authorization header from the proxy.'
    return [wrong('the proxy removes tokens: no account can sign in', fix)]
  }
  if (reply.headers['www-authenticate']?.startsWith('Basic')) {
    return [wrong('the proxy asks for a password', 'Remove it: PDSs and clients don’t send one.')]
  }
  return [good('tokens get through')]
}

/** Every uncached answer has its own id. */
async function aboutCaching(ask: Ask, origin: string, first: Reply): Promise<Finding[]> {
  const second = await ask(origin + CHEAP)
  const id = first.headers['x-request-id']
  if (id === undefined || id !== second.headers['x-request-id']) return [good('it caches nothing')]
  const fix =
    'Turn its cache off for this name (nginx: proxy_cache off; Cloudflare: a bypass rule).'
  return [wrong('the proxy caches answers: members could see each other’s', fix)]
}

async function aboutBodies(ask: Ask, origin: string): Promise<Finding[]> {
  const body = JSON.stringify({ draft: 'x'.repeat(BODY_BYTES) })
  const headers = { 'content-type': 'application/json' }
  const reply = await ask(origin + WITH_BODY, { method: 'POST', headers, body }).catch(
    () => undefined,
  )
  if (!reply) return [unchecked('can’t tell whether the proxy allows large bodies')]
  if (reply.status !== 413) return []
  const fix =
    'Allow bodies of 1 MB (nginx: client_max_body_size 1m; Caddy: request_body max_size 1MB).'
  return [wrong(`the proxy refuses bodies of ${BODY_BYTES / 1024} KB, which drafts can have`, fix)]
}

async function aboutQueries(ask: Ask, origin: string): Promise<Finding[]> {
  const reply = await ask(`${origin}${CHEAP}?x=${'x'.repeat(QUERY_BYTES)}`).catch(() => undefined)
  if (!reply || !TOO_LONG.has(reply.status)) return []
  const fix = 'Allow URLs of 16 KB (nginx: large_client_header_buffers 4 16k).'
  return [
    wrong(`the proxy refuses URLs of ${QUERY_BYTES / 1024} KB: pages with many posts fail`, fix),
  ]
}

async function aboutMetrics({ config, ask }: DoctorContext): Promise<Finding[]> {
  if (config.metrics !== 'local') return []
  const { status, text } = await ask(`${config.publicOrigin}/metrics`)
  if (status !== 200 || !text.includes('slipstream_')) return []
  const fix = 'Make the proxy send X-Forwarded-For and Host, or set SLIPSTREAM_METRICS=operator.'
  return [
    wrong(
      'everyone can read /metrics: requests through the proxy look like this machine’s own',
      fix,
    ),
  ]
}

/** Judged by the remaining rate limit of each address after some calls. */
async function aboutAddresses(doctor: DoctorContext): Promise<Finding[]> {
  const { config, ask } = doctor
  const left = async (url: string, headers?: Record<string, string>) =>
    Number((await ask(url, { headers })).headers['ratelimit-remaining'])
  const url = config.publicOrigin + CHEAP
  const before = await left(url)
  if (Number.isNaN(before))
    return [unchecked('visitors have no rate limit, so this does not matter')]
  for (let call = 0; call < CALLS; call++) await left(url)
  const asForged = await left(url, { 'x-forwarded-for': FORGED })
  // Checked twice, since a new rate limit window looks the same once.
  if (asForged > before && (await left(url)) < asForged) {
    const fix =
      'Make the proxy replace or extend X-Forwarded-For (nginx: proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for).'
    return [wrong('anyone can forge X-Forwarded-For, so limits by address have no effect', fix)]
  }
  if (!runningServer(doctor))
    return [unchecked('visitors’ addresses can be checked only on the server’s machine')]
  if (await isThisMachine(doctor))
    return [
      unchecked('/etc/hosts points the name to this machine: can’t check visitors’ addresses'),
    ]
  return [await aboutSharing(doctor, left, url)]
}

async function aboutSharing(
  { config }: DoctorContext,
  left: (url: string) => Promise<number>,
  url: string,
): Promise<Finding> {
  const direct = `http://${reachable(config.bind)}:${config.port}`
  const seemsShared = async () => {
    const before = await left(url)
    for (let call = 0; call < CALLS; call++) await left(direct + CHEAP)
    return before - (await left(url)) > CALLS
  }
  // Twice, since another client may send requests from this address too.
  if (!((await seemsShared()) && (await seemsShared()))) {
    return good('visitors are distinguished by address')
  }
  const fix = `Make the proxy send X-Forwarded-For, and name its address in SLIPSTREAM_TRUSTED_PROXIES (now ${config.trustedProxies.join(',')}).`
  return wrong('all visitors count as one address, and share one limit', fix)
}

async function isThisMachine({ config, socket }: DoctorContext): Promise<boolean> {
  if (socket.lookup) return false
  const found = await lookup(nameOf(config)).catch(() => undefined)
  return found === undefined || found.address.startsWith('127.') || found.address === '::1'
}
