// The whole process on the wire: requests that two parsers would split differently, headers and paths that
// break out of their place. Each gets its own answer or none, never another client's.

import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  freshDataDir,
  type SlipstreamProcess,
  startSlipstream,
} from '../support/slipstream-process.ts'

let server: SlipstreamProcess
let port: number

beforeAll(async () => {
  server = startSlipstream({
    JETSTREAM_HOSTS: 'ws://127.0.0.1:9',
    PLC_URL: 'http://127.0.0.1:9',
    DATA_DIR: freshDataDir(),
    MEMBERS: 'invite',
    IMAGES: 'own',
    OPERATOR_TOKEN: 'a-token-of-the-operators',
  })
  port = await server.port()
})
afterAll(() => server.stop('SIGKILL'))

/**
 * Sends raw bytes and returns everything received: until the server closes if the text asks for
 * that, which a busy machine may do late, otherwise until a moment of silence.
 */
function raw(text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'))
    let received = ''
    const silenceMs = text.includes(CLOSE) ? 300_000 : 1_500
    socket.setTimeout(silenceMs, () => socket.destroy())
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(received))
  })
}

const statusesOf = (received: string) =>
  [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => Number(match[1]))

const CLOSE = 'connection: close\r\n'
const HIDDEN = 'GET /robots.txt HTTP/1.1\r\nhost: a\r\n\r\n'
const POST = 'POST /xrpc/app.bsky.graph.muteActor HTTP/1.1\r\nhost: a\r\n'

describe('smuggling', () => {
  test.each([
    [
      'a length and chunks',
      `${POST}content-length: 6\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
    ],
    [
      'two lengths',
      `${POST}content-length: 0\r\ncontent-length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`,
    ],
    ['a list of lengths', `${POST}content-length: 0, ${HIDDEN.length}\r\n\r\n${HIDDEN}`],
    ['a length with a sign', `${POST}content-length: +0\r\n\r\n${HIDDEN}`],
    ['a length in hexadecimal', `${POST}content-length: 0x0\r\n\r\n${HIDDEN}`],
    [
      'chunks that are not the last coding',
      `${POST}transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n${HIDDEN}`,
    ],
    ['chunks under another name', `${POST}transfer-encoding: xchunked\r\n\r\n0\r\n\r\n${HIDDEN}`],
    ['a space before the colon', `${POST}content-length : 0\r\n\r\n${HIDDEN}`],
    ['a folded header', `${POST}x: y\r\n content-length: 0\r\n\r\n${HIDDEN}`],
    ['a malformed chunk size', `${POST}transfer-encoding: chunked\r\n\r\n0x0\r\n\r\n${HIDDEN}`],
    ['a lone carriage return', `${POST}x: a\rcontent-length: 0\r\n\r\n${HIDDEN}`],
    ['a NUL in a header', `${POST}x: a\u0000b\r\n\r\n${HIDDEN}`],
    ['no host', `POST / HTTP/1.1\r\n\r\n${HIDDEN}`],
  ])('%s: refused, and the request hidden behind it is never answered', async (_what, text) => {
    const received = await raw(text)
    const statuses = statusesOf(received)
    expect(statuses.length).toBeLessThanOrEqual(1)
    expect(statuses.every((status) => status >= 400 && status < 500)).toBe(true)
    expect(received).not.toContain('User-agent')
  })

  test('an honest second request is answered', async () => {
    expect(statusesOf(await raw(HIDDEN + HIDDEN.replace('\r\n\r\n', `\r\n${CLOSE}\r\n`)))).toEqual([
      200, 200,
    ])
  })
})

describe('headers', () => {
  test.each([
    '/%0d%0aset-cookie:%20a=b',
    '/xrpc/%0d%0aset-cookie:%20a=b',
    '/xrpc/app.bsky.actor.getProfile?actor=a.test%0d%0aset-cookie:%20a=b',
    '/img/%0d%0aset-cookie:%20a=b/did:plc:x/bafy',
    '/invite?%0d%0aset-cookie:%20a=b',
    '/explore/%0d%0aset-cookie:%20a=b',
  ])('%s sets none', async (path) => {
    const received = await raw(`GET ${path} HTTP/1.1\r\nhost: a\r\n${CLOSE}\r\n`)
    expect(received).toMatch(/^HTTP\/1\.1 [2345]/)
    expect(received.split('\r\n\r\n')[0]).not.toMatch(/^set-cookie/im)
  })

  test('a browser’s list of request headers is echoed as a single header', async () => {
    const requested = `access-control-request-headers: a, b: c, x-y\t<script>`
    const text = `OPTIONS /xrpc/x HTTP/1.1\r\nhost: a\r\n${CLOSE}${requested}\r\n\r\n`
    const head = (await raw(text)).split('\r\n\r\n')[0]!
    expect(statusesOf(head)).toEqual([204])
    expect(head.match(/^access-control-allow-headers/gim)?.length).toBe(1)
  })
})

test.each([
  '/../../../../etc/passwd',
  '/..%2f..%2f..%2fetc%2fpasswd',
  '/%2e%2e/%2e%2e/etc/passwd',
  '/page/assets/../../../../../etc/passwd',
  '/page/assets/x/..%2f..%2f..%2f..%2fetc%2fpasswd',
  '/page/assets/x/....//....//etc/passwd',
  '/img/avatar/plain/..%2f..%2f..%2fetc/passwd',
  '/img/avatar/plain/did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/..%2f..%2fslipstream.db',
  '/invite/..%2f..%2fetc%2fpasswd',
  '/operator/..%2f..%2fetc%2fpasswd',
  '/explore/api/..%2f..%2fetc%2fpasswd',
  '/xrpc/..%2f..%2fetc%2fpasswd',
  '/xrpc/../operator/members',
  '//etc/passwd',
  '/.env',
  '/\\..\\..\\etc\\passwd',
  '/%00',
])('the path %s leads to nothing', async (path) => {
  const received = await raw(`GET ${path} HTTP/1.1\r\nhost: a\r\n${CLOSE}\r\n`)
  const [status = 0] = statusesOf(received)
  expect(status).toBeGreaterThanOrEqual(400)
  expect(status).toBeLessThan(500)
  expect(received).not.toMatch(/root:|SQLite format|SLIPSTREAM_/)
})

test.each([
  '/?x=<script>alert(1)</script>',
  '/explore?actor="><script>alert(1)</script>',
  '/invite?handle="><script>alert(1)</script>&code=<img>',
  '/nothing/<script>alert(1)</script>',
  '/xrpc/<script>alert(1)</script>',
])('%s is not echoed as HTML', async (path) => {
  const head = `GET ${path.replaceAll(' ', '%20')} HTTP/1.1\r\nhost: a\r\naccept: text/html\r\n`
  const received = await raw(`${head}${CLOSE}\r\n`)
  expect(received).toMatch(/^HTTP\/1\.1 [24]/)
  expect(received).not.toContain('<script>alert')
})
