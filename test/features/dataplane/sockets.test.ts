// The port over real sockets: TLS and accepted certificates, every supported protocol, and clients that
// disconnect, run out of time, or send malformed calls.

import { readFileSync } from 'node:fs'
import { type ClientHttp2Session, connect, constants } from 'node:http2'
import { join } from 'node:path'
import { Code, ConnectError, createClient } from '@connectrpc/connect'
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from '@connectrpc/connect-node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Service } from '../../../src/features/dataplane/generated/bsky-pb.ts'
import { type HydratedWorld, hydrateWorld } from '../../support/hydration.ts'
import { createRandom } from '../../support/random.ts'
import { randomWorld } from '../../support/random-world.ts'
import { type DataplaneWorld, startDataplaneOver } from './dataplane-world.ts'

const TLS = join(import.meta.dirname, '../../fixtures/tls')
const pem = (name: string) => readFileSync(join(TLS, `${name}.pem`))
const NAME = 'appview.test'
const SLOW = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'

let ours: HydratedWorld
let dataplane: DataplaneWorld
let secure: DataplaneWorld
let session: ClientHttp2Session

beforeAll(async () => {
  ours = hydrateWorld(randomWorld(createRandom(9), 40))
  const isSlow = (did: string) => did === SLOW
  dataplane = await startDataplaneOver(ours, { isSlow })
  const settings = {
    dataplaneTlsCert: join(TLS, 'good.pem'),
    dataplaneTlsKey: join(TLS, 'key.pem'),
    dataplaneTlsClientCa: join(TLS, 'ca.pem'),
  }
  secure = await startDataplaneOver(ours, { settings })
  session = connect(dataplane.url)
})

afterAll(async () => {
  session.destroy()
  await dataplane.close()
  await secure.close()
  ours.close()
})

const protocols = [
  ['gRPC', '2', createGrpcTransport],
  ['gRPC-web', '2', createGrpcWebTransport],
  ['gRPC-web', '1.1', createGrpcWebTransport],
  ['Connect', '2', createConnectTransport],
  ['Connect', '1.1', createConnectTransport],
] as const
type Protocol = [name: string, httpVersion: '1.1' | '2', transport: unknown]

/** Answers that must not depend on the protocol, with messages encoded by us, and by Connect. */
async function answers(client: ReturnType<typeof clientOf>): Promise<unknown> {
  const did = ours.written.actors.didOf(1)
  const { actors } = await client.getActors({ dids: [did, 'did:web:none'] })
  const { posts } = await client.getCountsForUsers({ dids: [did] })
  const failed = await client.getIdentityByDid({ did: 'did:web:none' }).catch(ConnectError.from)
  return { actors, posts, code: (failed as ConnectError).code }
}

function clientOf(
  [, httpVersion, transport]: Readonly<Protocol>,
  baseUrl: string,
  nodeOptions: object = {},
) {
  const options = { baseUrl, httpVersion, nodeOptions }
  return createClient(Service, (transport as typeof createConnectTransport)(options))
}

describe('says the same by', () => {
  test.each(protocols)('%s over HTTP/%s', async (...protocol) => {
    const reported = await answers(clientOf(protocol, dataplane.url))
    expect(reported).toEqual(await answers(clientOf(protocols[0], dataplane.url)))
    expect(reported).toMatchObject({
      actors: [{ exists: true }, { exists: false }],
      code: Code.NotFound,
    })
  })
})

describe('with mutual TLS', () => {
  const trusted = { ca: pem('ca'), servername: NAME }
  const visible = { ...trusted, cert: pem('good'), key: pem('key') }
  const foreign = { ...trusted, cert: pem('self-signed'), key: pem('key') }
  const url = () => `https://127.0.0.1:${secure.port}`

  test.each(protocols)(
    'a client with a certificate is answered by %s over HTTP/%s',
    async (...protocol) => {
      const reported = await answers(clientOf(protocol, url(), visible))
      expect(reported).toEqual(await answers(clientOf(protocol, dataplane.url)))
    },
  )

  test.each([
    ['no certificate', trusted],
    ['an untrusted certificate', foreign],
  ])('a client that shows %s is refused', async (_, nodeOptions) => {
    for (const protocol of [protocols[0], protocols[4]]) {
      const error = await clientOf(protocol, url(), nodeOptions).ping({}).catch(ConnectError.from)
      expect(error).toBeInstanceOf(ConnectError)
    }
    expect(secure.counted.filter(([path]) => path.endsWith('ping'))).toEqual([])
  })

  test('a client without TLS is refused', async () => {
    const error = await clientOf(protocols[4], `http://127.0.0.1:${secure.port}`)
      .ping({})
      .catch(ConnectError.from)
    expect(error).toBeInstanceOf(ConnectError)
  })
})

type RequestOptions = { path?: string; body?: Buffer; headers?: Record<string, string> }

/** A hand-made gRPC call. */
function call({ path = 'Ping', body = framed(), headers = {} }: RequestOptions) {
  const stream = session.request({
    ':method': 'POST',
    ':path': `/bsky.Service/${path}`,
    te: 'trailers',
    'content-type': 'application/grpc',
    ...headers,
  })
  const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>()
  let reported: Record<string, unknown> = {}
  stream.on('response', (fields) => {
    reported = { ...reported, ...fields }
  })
  stream.on('trailers', (fields) => {
    reported = { ...reported, ...fields }
  })
  stream.on('error', reject)
  stream.on('close', () => resolve(reported))
  stream.resume()
  stream.end(body)
  return { stream, answered: promise }
}

function framed(message = Buffer.alloc(0), { flag = 0, length = message.length } = {}): Buffer {
  const head = Buffer.alloc(5)
  head[0] = flag
  head.writeUInt32BE(length, 1)
  return Buffer.concat([head, message])
}

describe('malformed calls', () => {
  test.each([
    ['an empty body', Buffer.alloc(0)],
    ['half of a frame header', Buffer.from([0, 0])],
    ['a message shorter than its stated length', framed(Buffer.from('abc'), { length: 9 })],
    ['two messages', Buffer.concat([framed(), framed()])],
    ['a compressed message', framed(Buffer.alloc(3), { flag: 1 })],
    ['bytes that are not the request’s type', framed(Buffer.from([0x0a, 0xff, 0xff]))],
  ])('%s', async (_, body) => {
    const reported = await call({ path: 'GetActors', body }).answered
    expect(reported).toMatchObject({ ':status': 200, 'grpc-status': String(Code.InvalidArgument) })
    expect(await call({}).answered).toMatchObject({ 'grpc-status': '0' })
  })

  test('more than the size limit', async () => {
    const body = framed(Buffer.alloc(5 << 20))
    const reported = await call({ path: 'GetActors', body }).answered
    expect(reported['grpc-status']).toBe(String(Code.ResourceExhausted))
  })

  test('an unknown call, by its name', async () => {
    const reported = await call({ path: 'GetTomorrow' }).answered
    expect(reported['grpc-status']).toBe(String(Code.Unimplemented))
    expect(String(reported['grpc-message'])).toContain('bsky.Service.GetTomorrow')
  })
})

describe('an impatient client', () => {
  const slow = framed(Buffer.concat([Buffer.from([0x0a, SLOW.length]), Buffer.from(SLOW)]))

  test('gets an error when its time is over, and the call is abandoned', async () => {
    const headers = { 'grpc-timeout': '30m' }
    const reported = await call({ path: 'GetIdentityByDid', body: slow, headers }).answered
    expect(reported['grpc-status']).toBe(String(Code.DeadlineExceeded))
  })

  test('is not answered late', async () => {
    dataplane.counted.length = 0
    const reported = await call({ headers: { 'grpc-timeout': '1n' } }).answered
    expect(reported['grpc-status']).toBe(String(Code.DeadlineExceeded))
    expect(dataplane.counted).toEqual([['/xrpc/bsky.Service.ping', 504]])
  })

  test('may disconnect', async () => {
    const { stream, answered } = call({ path: 'GetIdentityByDid', body: slow })
    // Everything sent before this answer was read before it.
    await call({}).answered
    stream.close(constants.NGHTTP2_CANCEL)
    expect((await answered)['grpc-status']).toBeUndefined()
    expect(await call({}).answered).toMatchObject({ 'grpc-status': '0' })
  })

  test('by the protocols of the adapter, too', async () => {
    const client = clientOf(protocols[4], dataplane.url)
    const error = await client
      .getIdentityByDid({ did: SLOW }, { timeoutMs: 30 })
      .catch(ConnectError.from)
    expect((error as ConnectError).code).toBe(Code.DeadlineExceeded)
  })
})
