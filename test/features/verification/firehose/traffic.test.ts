// A relay's bytes, beside what the kernel counts for the same socket.

import { createServer } from 'node:net'
import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { createFirehose } from '../../../../src/features/verification/firehose/consumer.ts'
import { createJudge } from '../../../../src/features/verification/firehose/judge.ts'
import { verifyingKey } from '../../../../src/sources/identity/verifying-key.ts'
import { createTraffic } from '../../../../src/sources/traffic.ts'
import { closeSockets, differenceOf, kernelCount, passOn } from '../../../support/counted-socket.ts'
import { until } from '../../../support/eventually.ts'
import { recordedFrames } from '../../../support/recorded-frames.ts'
import { startFirehoseDouble } from '../firehose-double.ts'

afterEach(closeSockets)

function read(host: string) {
  const { keys } = recordedFrames()
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
    limits: { backoffBaseMs: 2, backoffMaxMs: 20 },
  })
  firehose.start()
  return { counts, firehose }
}

test('of a relay, bytes equal the kernel’s count of the socket', async () => {
  const { frames } = recordedFrames()
  const double = await startFirehoseDouble()
  const port = await passOn(createServer(), Number(new URL(double.url).port))
  const host = `ws://localhost:${port}`
  const { counts, firehose } = read(host)
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

test('of several relays, over reconnections: of each the sum of its sockets', async () => {
  const { frames } = recordedFrames()
  const each = [1, 2].map(async (times) => {
    const double = await startFirehoseDouble()
    const port = await passOn(createServer(), Number(new URL(double.url).port))
    const { counts, firehose } = read(`ws://localhost:${port}`)
    let kernel = 0
    for (let i = 0; i <= times; i++) {
      await until(() => double.cursors.length === i + 1 && firehose.status().connected)
      const before = firehose.status().received
      const part = frames.slice(i * 100, (i + 1) * 100)
      for (const frame of part) double.send(frame)
      await until(() => firehose.status().received === before + part.length)
      kernel += kernelCount(port)
      double.disconnect()
    }
    await firehose.stop()
    expect(differenceOf(counts, kernel)).toBeLessThan(0.01)
    await double.close()
  })
  await Promise.all(each)
})
