// Whoever reaches the dataplane's port and sends too much, too little or too slowly is disconnected, with the
// secret or without it.

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { type ClientHttp2Stream, connect as connectHttp2 } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import {
  type Incoming,
  listen,
  type Outgoing,
} from '../../../src/features/dataplane/wire/listener.ts'
import { until } from '../../support/eventually.ts'
import { listenerConfig, TOKEN } from './listener-config.ts'

const SECRET = `authorization: Bearer ${TOKEN}\r\n`
const GET = 'GET / HTTP/1.1\r\nhost: a\r\n'
const POST = 'POST / HTTP/1.1\r\nhost: a\r\n'
const LARGE = 'a'.repeat(64 << 20)

type Limits = Parameters<typeof listen>[1]['http1Limits']

async function open(body: string, http1Limits: Limits = {}) {
  const asked: Incoming[] = []
  const answer = (request: Incoming, response: Outgoing) => {
    asked.push(request)
    request.on('error', () => undefined).resume()
    request.on('end', () => response.end(body))
  }
  const listener = await listen(
    { answer, grpc: () => false },
    { config: listenerConfig, http1Limits },
  )
  onTestFinished(() => listener.close())
  return { asked, port: listener.port }
}

/** @returns what was answered until the server closed the connection */
async function answered(socket: Socket): Promise<string> {
  let text = ''
  socket.on('error', () => undefined)
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1')
  })
  await new Promise((resolve) => socket.once('close', resolve))
  return text
}

const soon = { headersTimeoutMs: 100, requestTimeoutMs: 200, checkEveryMs: 20 }

test.each([
  ['half of the headers', `${GET}${SECRET}`],
  ['half of the body', `${POST}${SECRET}content-length: 9\r\n\r\nhalf`],
])('%s', async (_, begun) => {
  const { asked, port } = await open('', soon)
  const socket = connect(port, '127.0.0.1')
  socket.write(begun)
  expect(await answered(socket)).toMatch(/^HTTP\/1.1 408/)
  expect(asked.every(({ complete }) => !complete)).toBe(true)
})

test('a body in chunks of a byte', async () => {
  const { port } = await open('')
  const socket = connect(port, '127.0.0.1')
  const chunks = '1\r\na\r\n'.repeat(50_000)
  socket.write(`${POST}${SECRET}transfer-encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`)
  expect(await answered(socket)).toBe('')
})

test('two thousand requests at once', async () => {
  const { asked, port } = await open('')
  const socket = connect(port, '127.0.0.1')
  socket.write(`${GET}${SECRET}\r\n`.repeat(2_000))
  await answered(socket)
  expect(asked.length).toBeLessThan(20)
})

test('an answer that is not read', async () => {
  const limits = { graceMs: 100, lookEveryMs: 20, minBytesPerSecond: 1 << 30 }
  const { asked, port } = await open(LARGE, limits)
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write(`${GET}${SECRET}\r\n`)
  onTestFinished(() => void socket.destroy())
  await until(() => asked.length === 1)
  await until(() => asked[0]!.socket.destroyed)
})

test('without the secret, one request of many and little of its body', async () => {
  const { asked, port } = await open('')
  for (const more of [`${GET}\r\n`.repeat(2_000), `${POST}content-length: 99999999\r\n\r\nmore`]) {
    const socket = connect(port, '127.0.0.1')
    socket.write(more)
    const answers = (await answered(socket)).split('HTTP/1.1 ').slice(1)
    expect(answers.map((text) => text.slice(0, 3))).toEqual(['401'])
  }
  expect(asked).toEqual([])
})

test('without the secret, the first of thousands of streams that are reset at once', async () => {
  const { port } = await open('')
  let begun = 0
  const count = () => {
    begun++
  }
  subscribe('http2.server.stream.created', count)
  onTestFinished(() => void unsubscribe('http2.server.stream.created', count))
  const frame = (type: number, stream: number, payload: number[]) => {
    const head = Buffer.alloc(9)
    head.writeUIntBE(payload.length, 0, 3)
    head[3] = type
    // The end of the headers.
    head[4] = type === 1 ? 4 : 0
    head.writeUInt32BE(stream, 5)
    return Buffer.concat([head, Buffer.from(payload)])
  }
  const ids = Array.from({ length: 4_000 }, (_, i) => 1 + 2 * i)
  // A POST to / at x, and CANCEL.
  const begins = (id: number) => [
    frame(1, id, [0x83, 0x86, 0x84, 1, 1, 0x78]),
    frame(3, id, [0, 0, 0, 8]),
  ]
  const socket = connect(port, '127.0.0.1')
  socket.write(
    Buffer.concat([
      Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
      frame(4, 0, []),
      ...ids.flatMap(begins),
    ]),
  )
  await answered(socket)
  expect(begun).toBeGreaterThan(0)
  expect(begun).toBeLessThan(250)
})

test('without the secret, a few of two hundred streams, and then the session ends', async () => {
  const { port } = await open('')
  const session = connectHttp2(`http://127.0.0.1:${port}`)
  session.on('error', () => undefined)
  const statuses: unknown[] = []
  const ask = (): ClientHttp2Stream => session.request({ ':path': '/' })
  for (let i = 0; i < 200; i++) {
    const stream = ask()
    stream.on('error', () => undefined)
    stream.on('response', (headers) => statuses.push(headers[':status']))
    stream.resume()
  }
  await new Promise((resolve) => session.once('close', resolve))
  expect(statuses.length).toBeLessThan(20)
})
