// Several relays at once, over frames of a real PDS: each commit is taken once, from the first host to bring it,
// and what a host left out comes from another. One of them lies, dies and comes back.

import type { StreamEvent } from '@slipstream/jetstream'
import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { collections } from '../../../../src/base/atproto/collections.ts'
import { createArrivals } from '../../../../src/features/verification/firehose/arrivals.ts'
import { createFirehose } from '../../../../src/features/verification/firehose/consumer.ts'
import { decodeFrame } from '../../../../src/features/verification/firehose/frame.ts'
import { createJudge } from '../../../../src/features/verification/firehose/judge.ts'
import type { AccountKeys } from '../../../../src/features/verification/firehose/keys.ts'
import { verifyingKey } from '../../../../src/sources/identity/verifying-key.ts'
import { until } from '../../../support/eventually.ts'
import { recordedFrames } from '../../../support/recorded-frames.ts'
import { type FirehoseDouble, startFirehoseDouble } from '../firehose-double.ts'

const { frames, keys } = recordedFrames()
const cleanups: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

function accountKeys(): AccountKeys {
  const known = new Map(Object.entries(keys).map(([did, key]) => [did, verifyingKey(key)]))
  const peek = (did: string) => known.get(did)
  return { peek, get: async (did) => peek(did), renew: async (did) => peek(did), forget() {} }
}

async function start(count: number, most = 100_000) {
  const doubles: FirehoseDouble[] = []
  for (let i = 0; i < count; i++) doubles.push(await startFirehoseDouble())
  const events: string[] = []
  const counts: Record<string, number> = {}
  const failures: string[] = []
  const indexOf = (host: string) => doubles.findIndex(({ url }) => url === host)
  const judge = createJudge({ keys: accountKeys(), verifies: () => true, takesLate: true })
  const onCount = (host: string, what: string) => {
    counts[`${indexOf(host)} ${what}`] = (counts[`${indexOf(host)} ${what}`] ?? 0) + 1
  }
  const arrivals = createArrivals(
    doubles.map(({ url }) => url),
    onCount,
    most,
  )
  const firehoses = doubles.map(({ url }) =>
    createFirehose({
      hosts: [url],
      judge,
      arrivals,
      collections: new Set(collections),
      cursors: [],
      apply: async (batch) => void events.push(...(batch.events as StreamEvent[]).flatMap(plain)),
      onFailure: (host, reason) => void failures.push(`${indexOf(host)} ${reason}`),
      log: pino({ level: 'silent' }),
      limits: { backoffBaseMs: 2, backoffMaxMs: 20 },
    }),
  )
  for (const firehose of firehoses) firehose.start()
  cleanups.push(
    ...doubles.map(({ close }) => close),
    ...firehoses.map((firehos) => () => firehos.stop()),
  )
  await until(() => doubles.every((double) => double.openConnections() === 1))
  await until(() => firehoses.every((firehos) => firehos.status().connected))
  return { doubles, firehoses, events, counts, failures }
}

function plain(event: StreamEvent): string[] {
  if (event.kind !== 'commit') return []
  return [`${event.did} ${event.rev} ${event.operation} ${event.collection}/${event.rkey}`]
}

function readFrame(frame: Buffer) {
  const message = decodeFrame(frame)
  return typeof message === 'object' && 'kind' in message ? message : undefined
}

const isCommit = (frame: Buffer) => readFrame(frame)?.kind === 'commit'
const commits = frames.filter(isCommit)
const expected = commits.flatMap((frame) => {
  const message = readFrame(frame)!
  if (message.kind !== 'commit') return []
  const { did, rev, ops } = message
  return ops.map(({ action, collection, rkey }) => `${did} ${rev} ${action} ${collection}/${rkey}`)
})

/** The record’s bytes are others: the account never signed it. */
function forge(frame: Buffer): Buffer {
  const at = frame.lastIndexOf('post')
  const forged = Buffer.from(frame)
  forged[at]! ^= 1
  return forged
}

test('each commit is taken once, whichever host is first', async () => {
  const { doubles, events, counts, failures } = await start(3)
  for (const [i, frame] of frames.entries()) {
    for (let k = 0; k < 3; k++) doubles[(i + k) % 3]!.send(frame)
  }
  const all = () => Object.values(counts).reduce((sum, value) => sum + value, 0)
  await until(() => events.length >= expected.length && all() >= 3 * commits.length)
  expect(events.toSorted()).toEqual(expected.toSorted())
  expect(failures).toEqual([])
  const firsts = [0, 1, 2].reduce((sum, i) => sum + (counts[`${i} first`] ?? 0), 0)
  expect(firsts).toBe(commits.length)
})

test('what one host leaves out, another brings, also after later ones; its misses are counted', async () => {
  const { doubles, firehoses, events, counts } = await start(2, 50)
  const [poor, good] = doubles as [FirehoseDouble, FirehoseDouble]
  const filtered = commits.filter((_, i) => i % 4 !== 0)
  for (const frame of filtered) poor.send(frame)
  await until(() => firehoses[0]!.status().received === filtered.length)
  for (const frame of commits) good.send(frame)
  await until(() => new Set(events).size === expected.length)
  expect([...new Set(events)].toSorted()).toEqual(expected.toSorted())
  expect(counts['0 missed']).toBeGreaterThan(0)
})

test('a host that lies first is not believed, and does not keep the truth out', async () => {
  const { doubles, events, failures } = await start(2)
  const [liar, good] = doubles as [FirehoseDouble, FirehoseDouble]
  const posts = commits.filter((frame) => frame.includes('app.bsky.feed.post'))
  for (const frame of posts) liar.send(forge(frame))
  await until(() => failures.length >= posts.length / 2)
  for (const frame of commits) good.send(frame)
  await until(() => new Set(events).size === expected.length)
  expect(failures.every((failure) => failure.startsWith('0 '))).toBe(true)
})

test('a host that dies and comes back goes on, and nothing is doubled meanwhile', async () => {
  const { doubles, events, firehoses } = await start(2)
  const [shaky, steady] = doubles as [FirehoseDouble, FirehoseDouble]
  for (const [i, frame] of commits.entries()) {
    if (i % 50 === 25) shaky.disconnect()
    shaky.send(frame)
    steady.send(frame)
  }
  await until(() => firehoses.every((firehos) => firehos.status().received >= commits.length))
  await until(() => events.length >= expected.length)
  expect(events.toSorted()).toEqual(expected.toSorted())
})
