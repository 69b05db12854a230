// Checks did.json as fetched by those that rely on it: a PDS that looks up where to send its users' calls
// (contract A1), and a client in a browser that learns of us (B1). If our DID is described elsewhere, checks
// whether it points here.

import type { Config } from '../../base/config/config.ts'
import { documentUrl } from '../../sources/identity/fetch-identity.ts'
import { type DoctorContext, isLocalOnly, runningServer } from './context.ts'
import { here } from './cures.ts'
import { type Finding, good, notice, unchecked, wrong } from './finding.ts'
import { jsonOf, type Reply } from './network/ask.ts'
import { whyNot } from './network/why-not.ts'

/** The timeout that PDSs use. */
const PDS_MAX_WAIT_MS = 3_000
const SERVICE_ID = '#bsky_appview'
const PROXY_FIX =
  'Make the proxy pass all requests unchanged to Slipstream, as in deploy/caddy/Caddyfile.'

type Service = { id?: unknown; type?: unknown; serviceEndpoint?: unknown }

export async function checkFace(doctor: DoctorContext): Promise<Finding[]> {
  const { config } = doctor
  const url = documentUrl(config.serviceDid, config.plcUrl)
  if (!url) {
    const fix =
      'Set SLIPSTREAM_SERVICE_DID to a did:web without a path or a did:plc, or leave it out.'
    return [wrong(`no PDS can resolve ${config.serviceDid}`, fix)]
  }
  if (isLocalOnly(config) && !runningServer(doctor)) {
    return [unchecked(`no server is running to serve ${url}`)]
  }
  return [...(await asPds(doctor, url)), ...(await asBrowser(doctor))]
}

async function asPds(doctor: DoctorContext, url: string): Promise<Finding[]> {
  const reply = await doctor
    .ask(url, { timeoutMs: PDS_MAX_WAIT_MS })
    .catch((error: unknown) => error)
  if (reply instanceof Error) return [await aboutNoAnswer(doctor, url, reply)]
  const bad = aboutReply(reply as Reply, url, doctor)
  if (bad) return [bad]
  const found = aboutDocument(jsonOf(reply as Reply), doctor.config)
  return found.length > 0 ? found : [good(`a PDS finds ${doctor.config.publicOrigin} in ${url}`)]
}

async function aboutNoAnswer(
  { isOnline }: DoctorContext,
  url: string,
  error: Error,
): Promise<Finding> {
  const { text } = whyNot(error)
  if (!(await isOnline())) return unchecked(`offline: ${url} was not fetched`)
  return wrong(
    `${url} can’t be fetched: ${text}`,
    `PDSs wait ${PDS_MAX_WAIT_MS / 1000} s for it. Look at the findings on name and certificate, then at the proxy’s log.`,
  )
}

function aboutReply(
  { status, headers }: Reply,
  url: string,
  doctor: DoctorContext,
): Finding | undefined {
  if (status === 200) return undefined
  if (status >= 300 && status < 400) {
    const text = `${url} is redirected to ${headers['location'] ?? 'nowhere'}, but PDSs follow no redirects`
    return wrong(text, 'Remove the redirect for this name from the proxy’s settings.')
  }
  if (status >= 502 && status <= 504) return aboutGateway(status, doctor)
  const fix = `${PROXY_FIX} Another site may answer for this name.`
  return wrong(`${url} is answered with ${status}`, fix)
}

/** The proxy answers, but does not reach the server behind it. */
export function aboutGateway(status: number, doctor: DoctorContext): Finding {
  const { bind, port } = doctor.config
  if (!runningServer(doctor)) {
    return unchecked(`the proxy answers ${status}, because Slipstream is not running`, here.start)
  }
  const text = `the proxy answers ${status}: it can’t reach Slipstream on ${bind}:${port}`
  return wrong(
    text,
    `Point it to 127.0.0.1:${port}, or set SLIPSTREAM_PORT and SLIPSTREAM_BIND to the address it uses.`,
  )
}

function aboutDocument(document: Record<string, unknown>, config: Config): Finding[] {
  const { serviceDid, publicOrigin } = config
  if (document['id'] !== serviceDid) {
    const is = typeof document['id'] === 'string' ? `for ${document['id']}` : 'not a DID document'
    const fix = `Set SLIPSTREAM_HOSTNAME or SLIPSTREAM_SERVICE_DID so that both agree, and restart. ${PROXY_FIX}`
    return [wrong(`the served document is ${is}, not for ${serviceDid}`, fix)]
  }
  const services = Array.isArray(document['service']) ? (document['service'] as Service[]) : []
  const ours = services.find(({ id }) => id === SERVICE_ID || id === `${serviceDid}${SERVICE_ID}`)
  const add = `Put {"id":"${SERVICE_ID}","type":"BskyAppView","serviceEndpoint":"${publicOrigin}"} in it.`
  if (!ours) return [wrong(`the document of ${serviceDid} has no service ${SERVICE_ID}`, add)]
  if (ours.serviceEndpoint !== publicOrigin) {
    const text = `the document of ${serviceDid} points to ${String(ours.serviceEndpoint)}, not to ${publicOrigin}`
    return [wrong(text, `${add} Or set SLIPSTREAM_HOSTNAME to that host.`)]
  }
  if (ours.type === 'BskyAppView') return []
  return [wrong(`its type is ${String(ours.type)}; clients require BskyAppView`, add)]
}

/** Asks our own host, whatever our DID is: clients ask there. */
async function asBrowser(doctor: DoctorContext): Promise<Finding[]> {
  const { config, ask } = doctor
  const origin = 'https://client.example'
  try {
    const [simple, preflight] = await Promise.all([
      ask(`${config.publicOrigin}/.well-known/did.json`, { headers: { origin } }),
      ask(`${config.publicOrigin}/xrpc/app.bsky.feed.getTimeline`, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'authorization,atproto-accept-labelers',
        },
      }),
    ])
    if (simple.status >= 300) return aboutOtherDid(simple, config)
    return [aboutCors(simple, preflight, origin)]
  } catch {
    return [] // reported above
  }
}

/** Only our own document is served here; other cases were reported above. */
function aboutOtherDid({ status }: Reply, { serviceDid, hostname }: Config): Finding[] {
  if (status !== 404 || serviceDid === `did:web:${hostname.replace(':', '%3A')}`) return []
  const text = `clients configured with an address find no did.json at ${hostname}, since the DID is ${serviceDid}`
  return [notice(text, 'Remove SLIPSTREAM_SERVICE_DID if such clients matter.')]
}

function aboutCors(simple: Reply, preflight: Reply, origin: string): Finding {
  const isAllowed = [simple, preflight].every(({ headers }) =>
    ['*', origin].includes(headers['access-control-allow-origin'] ?? ''),
  )
  const isPreflightGood = preflight.status < 300
  if (isAllowed && isPreflightGood) return good('a browser may read it, and call methods (CORS)')
  const text = isPreflightGood
    ? 'browsers may not read it: access-control-allow-origin is missing, or there twice'
    : `browsers may not call methods: OPTIONS is answered with ${preflight.status}`
  return wrong(
    text,
    'Slipstream sets the CORS headers itself: remove header and OPTIONS rules from the proxy’s settings.',
  )
}
