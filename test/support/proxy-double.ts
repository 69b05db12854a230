// A reverse proxy with TLS in front of a Slipstream, as operators configure them, correctly and incorrectly.

import { readFileSync } from 'node:fs'
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

const FIXTURES = join(import.meta.dirname, '../fixtures/tls')

export type CertificateName = 'good' | 'other-name' | 'expired' | 'self-signed' | 'no-chain'

export type ProxyRules = {
  certificate: CertificateName
  /** `pass`: forwards the client's header unchanged. */
  forwardedFor: 'set' | 'none' | 'pass'
  redirectTo?: string
  cachesAnswers?: boolean
  takesTokens?: boolean
  /** Sends the Host header that nginx sends by default. */
  ownHost?: boolean
  maxBodyBytes?: number
  maxUrlLength?: number
  /** Replaces the document of the server behind it. */
  document?: (own: Record<string, unknown>) => Record<string, unknown>
  cors?: 'twice' | 'none'
  refusesOptions?: boolean
  /** All other paths belong to another site. */
  onlyBelow?: string
}

export type ProxyDouble = {
  port: number
  rules: ProxyRules
  /** Port to forward to; 0: a port that does not answer. */
  target: number
  behave(): void
  close(): Promise<void>
}

/** The client address that the proxy reports. */
export const CLIENT = '198.51.100.9'
export const authority = pem('ca')
const GOOD: ProxyRules = { certificate: 'good', forwardedFor: 'set' }

export async function startProxyDouble(): Promise<ProxyDouble> {
  const server = createServer({ key: pem('key'), cert: pem('good') }, (from, to) => {
    void answer(double, cache, from, to)
  })
  const cache = new Map<string, Cached>()
  let rules = { ...GOOD }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const double: ProxyDouble = {
    port: (server.address() as AddressInfo).port,
    target: 0,
    get rules() {
      return rules
    },
    set rules(next) {
      rules = next
      server.setSecureContext({ key: pem('key'), cert: pem(next.certificate) })
    },
    behave() {
      cache.clear()
      this.rules = { ...GOOD }
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return double
}

type Cached = { status: number; headers: IncomingMessage['headers']; body: Buffer }

async function answer(
  { rules, target }: ProxyDouble,
  cache: Map<string, Cached>,
  from: IncomingMessage,
  to: ServerResponse,
): Promise<void> {
  const url = from.url ?? '/'
  const body = await readAll(from)
  if (rules.redirectTo) return void to.writeHead(301, { location: rules.redirectTo + url }).end()
  if (rules.onlyBelow && !url.startsWith(rules.onlyBelow))
    return void to.writeHead(404).end('other')
  if (rules.refusesOptions && from.method === 'OPTIONS') return void to.writeHead(405).end()
  if (body.length > (rules.maxBodyBytes ?? Infinity)) return void to.writeHead(413).end('<html>')
  if (url.length > (rules.maxUrlLength ?? Infinity)) return void to.writeHead(414).end('<html>')
  const found = rules.cachesAnswers ? cache.get(url) : undefined
  const got = found ?? (await pass(from, body, { rules, target }).catch(() => undefined))
  if (!got) return void to.writeHead(502).end('<html>Bad Gateway')
  cache.set(url, got)
  const changed = url === '/.well-known/did.json' ? changeDocument(got, rules) : got
  to.writeHead(changed.status, headersOf(changed, rules)).end(changed.body)
}

function pass(
  from: IncomingMessage,
  body: Buffer,
  { rules, target }: Pick<ProxyDouble, 'rules' | 'target'>,
): Promise<Cached> {
  const { 'x-forwarded-for': forwarded, ...headers } = from.headers
  if (rules.forwardedFor === 'set') headers['x-forwarded-for'] = CLIENT
  if (rules.forwardedFor === 'pass' && forwarded) headers['x-forwarded-for'] = forwarded
  if (rules.takesTokens) delete headers.authorization
  if (rules.ownHost) headers.host = `127.0.0.1:${target}`
  const { method, url } = from
  return new Promise((resolve, reject) => {
    const out = request({ host: '127.0.0.1', port: target, method, path: url, headers }, (got) => {
      readAll(got).then((read) => {
        resolve({ status: got.statusCode ?? 0, headers: got.headers, body: read })
      }, reject)
    })
    out.once('error', reject)
    out.end(body)
  })
}

function changeDocument(got: Cached, { document }: ProxyRules): Cached {
  if (!document || got.status !== 200) return got
  const { 'content-length': _length, 'content-encoding': _encoding, ...headers } = got.headers
  const own = JSON.parse(got.body.toString()) as Record<string, unknown>
  return { ...got, headers, body: Buffer.from(JSON.stringify(document(own))) }
}

function headersOf({ headers }: Cached, { cors }: ProxyRules): Record<string, string | string[]> {
  const name = 'access-control-allow-origin'
  const filtered = Object.entries(headers).filter(([key]) => key !== 'transfer-encoding')
  const all = Object.fromEntries(filtered) as Record<string, string | string[]>
  if (cors === 'none') delete all[name]
  if (cors === 'twice') all[name] = ['*', 'https://client.example']
  return all
}

async function readAll(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of stream) pieces.push(piece)
  return Buffer.concat(pieces)
}

function pem(name: string): string {
  return readFileSync(join(FIXTURES, `${name}.pem`), 'utf8')
}
