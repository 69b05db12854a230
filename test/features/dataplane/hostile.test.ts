// A malicious or broken client affects no other: whatever it sends, the port keeps answering. An uncaught
// exception would fail these tests, because it would end the process.

import { once } from 'node:events'
import { type ClientHttp2Session, connect } from 'node:http2'
import { connect as connectTcp, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { Code, type ConnectError, createClient } from '@connectrpc/connect'
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { forbidden } from '../../../src/base/atproto/xrpc-error.ts'
import { Service } from '../../../src/features/dataplane/generated/bsky-pb.ts'
import { listen } from '../../../src/features/dataplane/wire/listener.ts'
import { type HydratedWorld, hydrateWorld } from '../../support/hydration.ts'
import { createRandom } from '../../support/random.ts'
import { randomWorld } from '../../support/random-world.ts'
import { type DataplaneWorld, startDataplaneOver } from './dataplane-world.ts'
import { listenerConfig } from './listener-config.ts'

const SLOW = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
const EMPTY_SETTINGS = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])

let ours: HydratedWorld
let dataplane: DataplaneWorld
let session: ClientHttp2Session
const viewers: string[] = []

beforeAll(async () => {
  ours = hydrateWorld(randomWorld(createRandom(11), 20))
  const isSlow = (did: string) => did === SLOW
  const onViewer = (did: string) => void viewers.push(did)
  dataplane = await startDataplaneOver(ours, { isSlow, onViewer })
  session = connect(dataplane.url)
})

afterAll(async () => {
  session.destroy()
  await dataplane.close()
  ours.close()
})

const grpc = () => createClient(Service, createGrpcTransport({ baseUrl: dataplane.url }))

async function overHttp2(headers: Record<string, string>): Promise<Record<string, unknown>> {
  const stream = session.request({ ':method': 'POST', ':path': '/bsky.Service/Ping', ...headers })
  stream.resume().end()
  const [answer] = await once(stream, 'response')
  return answer
}

async function raw(request: string): Promise<string> {
  const socket = connectTcp(dataplane.port, '127.0.0.1').on('error', () => undefined)
  socket.write(request)
  return text(socket)
}

const json = { 'content-type': 'application/json' }

describe('invalid addresses', () => {
  const close = 'Connection: close\r\nContent-Length: 2\r\n'

  test.each(['//', '//[', 'http://', '/%'])('the path %s', async (path) => {
    expect(await raw(`GET ${path} HTTP/1.1\r\nHost: a\r\n${close}\r\n{}`)).toMatch(/^HTTP\/1.1 404/)
  })

  test('by HTTP/2', async () => {
    for (const path of ['//', '//[', '/%']) {
      expect(await overHttp2({ ':path': path })).toMatchObject({ ':status': 404 })
    }
    expect(await overHttp2({ ...json, ':authority': '[' })).toMatchObject({ ':status': 400 })
  })

  test.each(['[', 'a b', '%', 'x:y:z', ''])('the host “%s”', async (host) => {
    const head = `POST /bsky.Service/Ping HTTP/1.1\r\nHost: ${host}\r\n`
    const type = 'Content-Type: application/json\r\n'
    expect(await raw(`${head}${type}${close}\r\n{}`)).toMatch(/^HTTP\/1.1 400/)
  })
})

test('sessions that end with half-sent requests', async () => {
  const broken = connect(dataplane.url)
  broken.on('error', () => undefined)
  await once(broken, 'connect')
  for (let i = 0; i < 50; i++) {
    const stream = broken.request({
      ':method': 'POST',
      ':path': '/bsky.Service/GetActors',
      'content-type': 'application/grpc',
    })
    stream.on('error', () => undefined)
    stream.write(Buffer.alloc(10))
  }
  // The answer arrives after everything sent before it.
  await new Promise((resolve) => broken.ping((_error, duration) => resolve(duration)))
  broken.destroy()
  await grpc().ping({})
})

test('a preface split into pieces is recognised as HTTP/2', async () => {
  const socket: Socket = connectTcp(dataplane.port, '127.0.0.1').on('error', () => undefined)
  socket.setNoDelay(true)
  for (const value of PREFACE.slice(0, 10)) {
    socket.write(value)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  socket.write(PREFACE.slice(10))
  socket.write(EMPTY_SETTINGS)
  const [settings] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  expect(settings[3]).toBe(EMPTY_SETTINGS[3])
})

test('the rest of a request is not awaited forever', async () => {
  const config = { ...listenerConfig, dataplaneToken: undefined }
  const answer = () => undefined
  const listener = await listen({ answer, grpc: () => true }, { config, streamIdleMs: 50 })
  const idle = connect(`http://127.0.0.1:${listener.port}`)
  const stream = idle.request({ ':method': 'POST', ':path': '/' })
  stream.on('error', () => undefined)
  stream.write('half')
  await new Promise((resolve) => stream.once('close', resolve))
  idle.destroy()
  await listener.close()
})

describe('unknown calls are refused by name', () => {
  const name = 'bsky.Service.GetActorsV9'

  test.each(['application/grpc', 'application/grpc-web+proto'])('by %s', async (type) => {
    const path = '/bsky.Service/GetActorsV9'
    expect(await overHttp2({ ':path': path, 'content-type': type })).toMatchObject({
      ':status': 200,
      'grpc-status': String(Code.Unimplemented),
      'grpc-message': `${name} is not implemented`,
    })
  })

  test('by Connect', async () => {
    const url = `${dataplane.url}/bsky.Service/GetActorsV9`
    const response = await fetch(url, { method: 'POST', headers: json, body: '{}' })
    const message = `${name} is not implemented`
    expect(response.status).toBe(501)
    expect(await response.json()).toEqual({ code: 'unimplemented', message })
  })
})

describe('deadlines', () => {
  test('of Connect end a call in progress', async () => {
    const { url: baseUrl } = dataplane
    const transport = createConnectTransport({ baseUrl, httpVersion: '1.1' })
    const call = createClient(Service, transport).getIdentityByDid({ did: SLOW }, HEADERS_ALONE)
    expect((await call.catch((error) => error)).code).toBe(Code.DeadlineExceeded)
  })

  test('longer than any timer are ignored', async () => {
    const ended: string[] = []
    const ask = async (timeout: string) => {
      const call = grpc().getIdentityByDid({ did: SLOW }, { headers: { 'grpc-timeout': timeout } })
      const error: ConnectError = await call.catch((thrown) => thrown)
      ended.push(timeout)
      return error.code
    }
    void ask('999H')
    await grpc().ping({})
    expect(await ask('30m')).toBe(Code.DeadlineExceeded)
    expect(ended).toEqual(['30m'])
  })
})

/** Leaves the timeout to the server's clock alone. */
const HEADERS_ALONE = { headers: { 'connect-timeout-ms': '50' } }

test('invalid DIDs do not become viewers, and nothing is written about them', async () => {
  const calls = grpc()
  for (const actorDid of ['', 'x', '__proto__', 'did:plc:', `did:plc:${'a'.repeat(5_000)}`]) {
    await calls.getTimeline({ actorDid, limit: 1 })
    await calls.getNotifications({ actorDid, limit: 1 })
    await calls.getUnreadNotificationCount({ actorDid })
    const timestamp = { seconds: 1n, nanos: 0 }
    const error = await calls.updateNotificationSeen({ actorDid, timestamp }).catch((item) => item)
    expect([actorDid, error.code]).toEqual([actorDid, Code.InvalidArgument])
  }
  expect(viewers).toEqual([])
  expect(dataplane.requested).toEqual([])
})

test('accounts that may not read here are answered from rows, whenever that is known', async () => {
  const sent: string[] = []
  const refusing = await startDataplaneOver(ours, {
    // As on nodes that share an engine, which first ask it.
    async onViewer(did, { isForUs }, request) {
      sent.push(`${did} ${isForUs} ${request.header('user-agent')}`)
      request.behind = 'engine'
      throw forbidden('not a member', 'NotAMember')
    },
  })
  const calls = createClient(Service, createGrpcTransport({ baseUrl: refusing.url }))
  await calls.getTimeline({ actorDid: SLOW, limit: 1 })
  await calls.getUnreadNotificationCount({ actorDid: SLOW })
  await refusing.close()
  expect(sent).toEqual([`${SLOW} true undefined`, `${SLOW} true undefined`])
})
