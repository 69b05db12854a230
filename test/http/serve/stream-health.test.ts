// What a monitor is told about the stream: minutes of trouble, and nothing shorter.

import { expect, test } from 'vitest'
import type { BeforeLive, IngestStatus } from '../../../src/bridge/messages.ts'
import { streamHealth } from '../../../src/http/serve/stream-health.ts'
import { startSlipstream } from '../../support/slipstream-process.ts'

const MINUTE_MS = 60_000

function status(stream: object, beforeLive?: Partial<BeforeLive>) {
  return { stream: { host: 'wss://a.example', ...stream }, beforeLive } as IngestStatus
}

test.each([
  ['live', { connected: true, lagMs: 900 }],
  ['live', { connected: true, lagMs: undefined, quietMs: 3 * 3_600_000 }],
  ['live', { connected: true, lagMs: 4 * MINUTE_MS }],
  ['connecting', { connected: false, awayMs: 4 * MINUTE_MS, lagMs: 3 * 3_600_000 }],
])('%s is well: %j', (state, stream) => {
  expect(streamHealth(status(stream), 0)).toEqual({ state })
})

test.each([
  ['behind', { connected: true, lagMs: 61 * MINUTE_MS }, 'the stream is 61 minutes behind'],
  [
    'disconnected',
    { connected: false, awayMs: 7 * MINUTE_MS },
    'no connection to wss://a.example for 7 minutes',
  ],
])('%s is trouble: %j', (state, stream, error) => {
  expect(streamHealth(status(stream), 0)).toEqual({ state, error })
})

test('a start, and the reading of an archive, are no trouble; a thread that never reports is', () => {
  const reading = status({ connected: false, awayMs: 9e9 }, { what: 'archive' })
  expect(streamHealth(reading, 9e9)).toEqual({ state: 'archive' })
  expect(streamHealth(undefined, MINUTE_MS)).toEqual({ state: 'starting' })
  expect(streamHealth(undefined, 6 * MINUTE_MS)).toMatchObject({ state: 'disconnected' })
})

test('a running server says so in its health', async () => {
  const server = startSlipstream({ JETSTREAM_HOSTS: 'ws://127.0.0.1:9' })
  try {
    const origin = `http://127.0.0.1:${await server.port()}`
    const read = async () => (await (await fetch(`${origin}/xrpc/_health?stream`)).json()) as object
    await expect.poll(read).toMatchObject({ stream: { state: 'connecting' } })
  } finally {
    await server.stop('SIGKILL')
  }
})
