// Answers that cost more to read than they are long: of each, little is read.

import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { FetchError } from '../../../src/sources/identity/fetch-error.ts'
import { createGuardedFetch } from '../../../src/sources/identity/guarded-fetch.ts'

const OK = 'HTTP/1.1 200 OK\r\n'
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`
const EMPTY = `${OK}content-length: 0\r\n\r\n`
const HINT = 'HTTP/1.1 103 Early Hints\r\n\r\n'
const MAX_BYTES = 4 << 20

/** @returns the status, or why there was no answer */
async function fetched(answer: string): Promise<unknown> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(answer))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  onTestFinished(() => void server.close())
  const fetch = createGuardedFetch({ allowPrivateHosts: true })
  try {
    return (await fetch(`http://127.0.0.1:${port}/`, { maxBytes: MAX_BYTES })).status
  } catch (error) {
    if (error instanceof FetchError) return error.reason
    throw error
  }
}

test('a body in chunks of a byte', async () => {
  expect(await fetched(`${CHUNKED}${'1\r\na\r\n'.repeat(200_000)}0\r\n\r\n`)).toBe('too-large')
})

test('a repository in the three pieces of each of its blocks is read', async () => {
  const block = [2, 36, 200].map((length) => `${length.toString(16)}\r\n${'a'.repeat(length)}\r\n`)
  expect(await fetched(`${CHUNKED}${block.join('').repeat(5_000)}0\r\n\r\n`)).toBe(200)
})

test('interim answers without end, and a few', async () => {
  expect(await fetched(HINT.repeat(1_000) + EMPTY)).toBe('too-large')
  expect(await fetched(HINT.repeat(3) + EMPTY)).toBe(200)
})

test('the errors about a head that is too long, one for each field, have no stack traces', async () => {
  const before = Error.stackTraceLimit
  const limits: number[] = []
  Object.defineProperty(Error, 'stackTraceLimit', {
    configurable: true,
    get: () => limits.at(-1) ?? before,
    set: (limit: number) => void limits.push(limit),
  })
  onTestFinished(() => {
    const value = { configurable: true, enumerable: true, writable: true, value: before }
    Object.defineProperty(Error, 'stackTraceLimit', value)
  })
  const fields = Array.from({ length: 5_000 }, (_, i) => `a${i}: b\r\n`).join('')
  expect(await fetched(`${OK}${fields}content-length: 0\r\n\r\n`)).toBe('connect')
  expect(limits).toEqual([0, before])
})
