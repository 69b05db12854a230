// The least pace of answers' bodies, against real servers that drip, and the arithmetic of its patience.

import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { FetchError } from '../../../src/sources/identity/fetch-error.ts'
import {
  createGuardedFetch,
  type FetchOptions,
} from '../../../src/sources/identity/guarded-fetch.ts'
import { createPatience } from '../../../src/sources/identity/patience.ts'

const fetch = createGuardedFetch({ allowPrivateHosts: true })
const leastPace = { bytesPerSecond: 8_000, patienceMs: 200 }
const servers: Server[] = []

async function listen(handler: RequestListener): Promise<string> {
  const server = createServer(handler)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Sends a byte of `bytes` at a time until the client is gone. */
function drip(response: ServerResponse, bytes: Buffer): void {
  let sent = 0
  const timer = setInterval(() => {
    if (sent < bytes.length) response.write(bytes.subarray(sent, ++sent))
  }, 20)
  response.on('close', () => clearInterval(timer))
}

async function outcome(url: string, options: FetchOptions) {
  return fetch(url, options).then(
    ({ status }) => status,
    (error: unknown) => (error instanceof FetchError ? error.reason : error),
  )
}

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

test.each(['plain', 'gzip'])(
  'a server that drips is given up, and disconnected (%s)',
  async (how) => {
    const gone = Promise.withResolvers<void>()
    const bytes =
      how === 'gzip' ? gzipSync(Buffer.alloc(5000, 'x'), { level: 0 }) : Buffer.alloc(5000)
    const url = await listen((_request, response) => {
      response.writeHead(200, how === 'gzip' ? { 'content-encoding': 'gzip' } : {})
      drip(response, bytes)
      response.on('close', gone.resolve)
    })
    expect(await outcome(url, { leastPace, timeoutMs: 30_000 })).toBe('slow')
    await gone.promise
  },
)

test('without any wish, a body has a least pace', async () => {
  const url = await listen((_request, response) => drip(response, Buffer.alloc(5000)))
  expect(await outcome(url, { timeoutMs: 30_000 })).toBe('slow')
})

test('our own slowness is not the server’s: a body that we take slowly arrives whole', async () => {
  const body = Buffer.alloc(3_000_000, 7)
  const url = await listen((_request, response) => response.end(body))
  let length = 0
  let naps = 0
  const sink = async (piece: Buffer) => {
    length += piece.length
    if (naps++ < 8) await new Promise((resolve) => setTimeout(resolve, leastPace.patienceMs))
  }
  const options = { leastPace, sink, maxBytes: body.length, timeoutMs: 60_000 }
  expect(await outcome(url, options)).toBe(200)
  expect(length).toBe(body.length)
})

test('a blocked thread does not blame the server for what already arrived', async () => {
  const started = Promise.withResolvers<ServerResponse>()
  const url = await listen((_request, response) => {
    response.write('a')
    started.resolve(response)
  })
  const seen = Promise.withResolvers<void>()
  const running = outcome(url, { leastPace, sink: async () => seen.resolve(), timeoutMs: 60_000 })
  const response = await started.promise
  await seen.promise
  await new Promise((resolve) => response.end('b', () => resolve(undefined)))
  const until = performance.now() + 2 * leastPace.patienceMs
  while (performance.now() < until);
  expect(await running).toBe(200)
})

test('a slow but honest server is waited for, one that falls below the pace is not', () => {
  const patience = createPatience({ bytesPerSecond: 1000, patienceMs: 3000 })
  for (let seconds = 0; seconds < 1000; seconds++) {
    patience.waited(1000)
    patience.received(1000)
  }
  expect(patience.leftMs()).toBe(3000)
  for (let seconds = 0; seconds < 6; seconds++) {
    patience.waited(1000)
    patience.received(500)
  }
  expect(patience.leftMs()).toBe(500)
})

test('what came fast buys ten seconds of silence at most', () => {
  const patience = createPatience({ bytesPerSecond: 1000, patienceMs: 3000 })
  patience.received(50_000_000)
  expect(patience.leftMs()).toBe(10_000)
  patience.waited(60_000)
  patience.received(1)
  expect(patience.leftMs()).toBe(1)
})
