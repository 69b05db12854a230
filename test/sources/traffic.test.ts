// The stream's bytes, beside what the kernel counts for the same socket, plain and with TLS.

import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import {
  createServer as createTlsServer,
  getCACertificates,
  setDefaultCACertificates,
} from 'node:tls'
import { defaultLimits, openConnection } from '@slipstream/jetstream'
import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import {
  emitLikes,
  startConsumer,
  startDouble,
} from '../../packages/jetstream/test/consumer-rig.ts'
import { createFirehose } from '../../src/sources/firehose/consumer.ts'
import { createJudge } from '../../src/sources/firehose/judge.ts'
import { verifyingKey } from '../../src/sources/identity/verifying-key.ts'
import { createTraffic, type Traffic } from '../../src/sources/traffic.ts'
import { until } from '../support/eventually.ts'
import { startFirehoseDouble } from '../support/firehose-double.ts'
import { recordedFrames } from '../support/recorded-frames.ts'

const TLS = join(import.meta.dirname, '../fixtures/tls')
const LIKES = 2_000
const servers: Server[] = []
const sockets = new Set<Socket>()

afterEach(() => {
  for (const socket of sockets) socket.destroy()
  for (const server of servers.splice(0)) server.close()
})

/** Hands every connection on to `port`. @returns its own port. */
async function passOn(server: Server, port: number): Promise<number> {
  servers.push(server)
  const event = 'setSecureContext' in server ? 'secureConnection' : 'connection'
  server.on(event, (socket: Socket) => pipeBoth(socket, connect(port, '127.0.0.1')))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

function pipeBoth(one: Socket, other: Socket): void {
  for (const socket of [one, other]) {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
  }
  one.pipe(other)
  other.pipe(one)
}

/**
 * What the kernel says the client's end of the stream's connection to `port` has received: the largest, beside that
 * over which the dictionary came.
 */
function kernelCount(port: number): number {
  const args = ['-tinH', 'state', 'established', 'dst', `127.0.0.1:${port}`]
  const said = execFileSync('ss', args, { encoding: 'utf8' })
  return Math.max(0, ...[...said.matchAll(/bytes_received:(\d+)/g)].map(([, n]) => Number(n)))
}

test.for([
  ['v2', 'plain'],
  ['v2', 'compressed'],
  ['v1', 'plain'],
  ['v1', 'compressed'],
] as const)('on %s, %s, bytes equal the kernel’s count of the socket', async ([wire, form]) => {
  const double = await startDouble()
  const port = await passOn(createServer(), Number(new URL(double.url).port))
  const host = `ws://localhost:${port}`
  const counts = createTraffic()
  const meter = (from: string, wire: 'v1' | 'v2') => counts.of(from, wire, 'stream')
  const rig = startConsumer([], { hosts: [host], wire, compress: form === 'compressed', meter })
  await rig.untilConnected()
  emitLikes(double, LIKES)
  await until(() => rig.events.length === LIKES)
  const kernel = kernelCount(port)
  expect(kernel).toBeGreaterThan(LIKES * 100)
  expect(differenceOf(counts, kernel)).toBeLessThan(0.01)

  await rig.consumer.stop()
  expect(differenceOf(counts, kernel)).toBeLessThan(0.01)
  const [after] = counts.read()
  expect(after).toMatchObject({ host, wire, use: 'stream' })
  const likes = after!.frames['app.bsky.feed.like']!
  expect(likes.frames).toBe(LIKES)
  expect(likes.received === likes.plain).toBe(form === 'plain')
})

test('of a relay, bytes equal the kernel’s count of the socket', async () => {
  const { frames, keys } = recordedFrames()
  const double = await startFirehoseDouble()
  const port = await passOn(createServer(), Number(new URL(double.url).port))
  const host = `ws://localhost:${port}`
  const counts = createTraffic()
  const known = new Map(Object.entries(keys).map(([did, key]) => [did, verifyingKey(key)]))
  const get = async (did: string) => known.get(did)
  const accountKeys = { peek: (did: string) => known.get(did), get, renew: get, forget() {} }
  const firehose = createFirehose({
    hosts: [host],
    judge: createJudge({ keys: accountKeys, verifies: () => true }),
    collections: new Set(),
    cursors: [],
    apply: async () => undefined,
    onFailure: () => undefined,
    meter: (from) => counts.of(from, 'repos', 'stream'),
    log: pino({ level: 'silent' }),
  })
  firehose.start()
  await until(() => double.openConnections() === 1)
  for (const frame of frames) double.send(frame)
  await until(() => firehose.status().received === frames.length)
  const kernel = kernelCount(port)
  expect(kernel).toBeGreaterThan(frames.length * 500)
  expect(differenceOf(counts, kernel)).toBeLessThan(0.01)
  await firehose.stop()
  expect(differenceOf(counts, kernel)).toBeLessThan(0.01)
  expect(counts.read()[0]).toMatchObject({ host, wire: 'repos', lagMs: expect.any(Number) })
  await double.close()
})

test('of a TLS socket, the bytes on the line are counted', async () => {
  const certificate = { cert: readFileSync(join(TLS, 'good.pem')) }
  const key = readFileSync(join(TLS, 'key.pem'))
  const double = await startDouble()
  const inner = Number(new URL(double.url).port)
  const port = await passOn(createTlsServer({ ...certificate, key }), inner)
  const ca = readFileSync(join(TLS, 'ca.pem'), 'utf8')
  setDefaultCACertificates([...getCACertificates('default'), ca])
  const counts = createTraffic()
  let frames = 0
  const connection = openConnection({
    url: `wss://appview.test:${port}/xrpc/network.bsky.jetstream.subscribeEvents`,
    limits: defaultLimits,
    lookup: (_host, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
    onSocket: counts.of('wss://appview.test', 'v2', 'stream').socket,
    onOpen() {},
    onFrame: () => void frames++,
  })
  await until(() => double.openConnections() === 1)
  for (let i = 0; i < 200; i++) {
    emitLikes(double, 1)
    await until(() => frames === i + 1)
  }
  const kernel = kernelCount(port)
  expect(differenceOf(counts, kernel)).toBeLessThan(0.01)
  connection.leave()
  await connection.ended
  expect(differenceOf(counts, kernel)).toBeLessThan(0.01)
})

function differenceOf(counts: Traffic, kernel: number): number {
  return Math.abs(counts.read()[0]!.socketBytes - kernel) / kernel
}

test('compressed frames are counted as received and as read, by collection', async () => {
  const double = await startDouble()
  const counts = createTraffic()
  const meter = (from: string, wire: 'v1' | 'v2') => counts.of(from, wire, 'stream')
  const rig = startConsumer(double, { meter })
  await rig.untilConnected()
  emitLikes(double, 200)
  await until(() => rig.events.length === 200)
  const [{ frames, socketBytes }] = counts.read() as [ReturnType<typeof counts.read>[0]]
  const { received, plain } = frames['app.bsky.feed.like']!
  expect(received).toBeLessThan(plain / 1.5)
  expect(socketBytes).toBeGreaterThan(received)
  expect(socketBytes).toBeLessThan(received * 1.2)
})

test('what a host sends under names of its own takes no room', async () => {
  const double = await startDouble()
  const counts = createTraffic()
  const rig = startConsumer(double, { meter: (from, wire) => counts.of(from, wire, 'replay') })
  await rig.untilConnected()
  for (let i = 0; i < 20; i++) {
    const event = { did: 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa', operation: 'delete' } as const
    double.emit({ ...event, collection: `org.example.made${i}`, rkey: 'abc' })
  }
  await until(() => rig.events.length === 20)
  expect(Object.keys(counts.read()[0]!.frames)).toEqual(['other'])
})
