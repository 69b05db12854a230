// The stream's bytes, beside what the kernel counts for the same socket, plain and with TLS.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import {
  createServer as createTlsServer,
  getCACertificates,
  setDefaultCACertificates,
} from 'node:tls'
import { defaultLimits, openConnection } from '@slipstream/jetstream'
import { afterEach, expect, test } from 'vitest'
import {
  emitLikes,
  startConsumer,
  startDouble,
} from '../../packages/jetstream/test/consumer-rig.ts'
import { createTraffic } from '../../src/sources/traffic.ts'
import { closeSockets, differenceOf, kernelCount, passOn } from '../support/counted-socket.ts'
import { until } from '../support/eventually.ts'
import { didOf } from '../support/jetstream-double/made-up-ids.ts'

const TLS = join(import.meta.dirname, '../fixtures/tls')
const LIKES = 2_000

afterEach(closeSockets)

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

test.for(['plain', 'compressed'] as const)(
  'filtered by the server, over a reconnection and a second host, %s: of each host',
  async (form) => {
    const doubles = [await startDouble(), await startDouble()]
    const ports: number[] = []
    for (const { url } of doubles) {
      ports.push(await passOn(createServer(), Number(new URL(url).port)))
    }
    const hosts = ports.map((port) => `ws://localhost:${port}`)
    const counts = createTraffic()
    const filters = {
      collections: ['app.bsky.feed.like'],
      // Half of those who like.
      dids: Array.from({ length: 25 }, (_, i) => didOf(i)),
    }
    const rig = startConsumer([], {
      hosts,
      compress: form === 'compressed',
      filters,
      meter: (from, wire) => counts.of(from, wire, 'stream'),
    })
    const kernel = [0, 0]
    const hear = async (i: 0 | 1, connections: number) => {
      await until(() => doubles[i]!.openConnections() === 1 && rig.consumer.status().connected)
      expect(doubles[i]!.connections()).toHaveLength(connections)
      const before = rig.events.length
      emitLikes(doubles[i]!, LIKES)
      await until(() => rig.events.length === before + LIKES / 2)
      kernel[i]! += kernelCount(ports[i]!)
    }
    await hear(0, 1)
    doubles[0]!.disconnect()
    await until(() => doubles[0]!.connections().length === 2)
    await hear(0, 2)
    const refusal = { status: 503, name: 'ServiceUnavailable', message: 'later' }
    doubles[0]!.refuseHandshakes(refusal, 2)
    doubles[0]!.disconnect()
    await hear(1, 1)
    await rig.consumer.stop()
    for (const [i, host] of hosts.entries()) {
      const { socketBytes } = counts.read().find((source) => source.host === host)!
      expect(Math.abs(socketBytes - kernel[i]!) / kernel[i]!).toBeLessThan(0.01)
    }
  },
)

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
