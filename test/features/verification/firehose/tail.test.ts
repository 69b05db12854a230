// What may have been taken back while nobody saw it: the last commits of an account's own server before it broke off.

import type { StreamCursor, StreamGap } from '@slipstream/jetstream'
import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { collections } from '../../../../src/base/atproto/collections.ts'
import { createFirehose } from '../../../../src/features/verification/firehose/consumer.ts'
import {
  type CommitFrame,
  decodeFrame,
} from '../../../../src/features/verification/firehose/frame.ts'
import { createJudge } from '../../../../src/features/verification/firehose/judge.ts'
import type { AccountKeys } from '../../../../src/features/verification/firehose/keys.ts'
import { markOf } from '../../../../src/features/verification/firehose/numbering.ts'
import { verifyingKey } from '../../../../src/sources/identity/verifying-key.ts'
import { until } from '../../../support/eventually.ts'
import { MAX_WAIT_MS } from '../../../support/patience.ts'
import { recordedFrames } from '../../../support/recorded-frames.ts'
import { startFirehoseDouble } from '../firehose-double.ts'

const { frames, keys } = recordedFrames()
const [home] = Object.keys(keys)
const cleanups: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

function commitIn(frame: Buffer): CommitFrame | undefined {
  const message = decodeFrame(frame)
  return typeof message === 'object' && 'kind' in message && message.kind === 'commit'
    ? message
    : undefined
}

const commits = frames.filter((frame) => commitIn(frame)?.did === home)

function accountKeys(): AccountKeys {
  const known = new Map(Object.entries(keys).map(([did, key]) => [did, verifyingKey(key)]))
  const peek = (did: string) => known.get(did)
  return { peek, get: async (did) => peek(did), renew: async (did) => peek(did), forget() {} }
}

function cursorAt(host: string, frame: CommitFrame): StreamCursor {
  return { host, wire: 'repos', seq: frame.seq, timeUs: frame.timeUs, mark: markOf(frame) }
}

async function read(isAtHome: (did: string, host: string) => boolean, last?: Buffer) {
  let double = await startFirehoseDouble()
  const before = last && commitIn(last)!
  if (last) double.send(last)
  const gaps: StreamGap[] = []
  let failures = 0
  // The time when the tenth was written.
  let nowMs = commitIn(commits[9]!)!.timeUs / 1000
  const firehose = createFirehose({
    hosts: [double.url],
    judge: createJudge({ keys: accountKeys(), verifies: () => true }),
    collections: new Set(collections),
    cursors: before ? [cursorAt(double.url, before)] : [],
    isAtHome,
    apply: async (batch) => void gaps.push(...batch.gaps),
    onFailure: () => undefined,
    log: pino({ level: 'warn' }, { write: () => void failures++ }),
    now: () => nowMs,
    // No end of the connection but by the test.
    limits: { backoffBaseMs: 2, backoffMaxMs: 20, silentAfterMs: 2 * MAX_WAIT_MS },
  })
  cleanups.push(
    () => double.close(),
    () => firehose.stop(),
  )
  firehose.start()
  const taken = async (wanted: readonly Buffer[]) => {
    const before = firehose.status().received
    for (const frame of wanted) double.send(frame)
    await until(() => firehose.status().received === before + wanted.length)
  }
  const comesBack = async () => {
    const connections = double.cursors.length
    double.disconnect()
    await until(() => double.cursors.length > connections && firehose.status().connected)
  }
  const isAwayFor = async (ms: number) => {
    const { port } = new URL(double.url)
    await double.close()
    await until(() => !firehose.status().connected)
    nowMs += ms
    const before = failures
    await until(() => failures >= before + 2)
    double = await startFirehoseDouble(Number(port))
    await until(() => firehose.status().connected)
  }
  await until(() => firehose.status().connected)
  return { gaps, taken, comesBack, isAwayFor, url: double.url }
}

test('where the account’s own server broke off, it is compared with it once it is back', async () => {
  const { gaps, taken, comesBack, url } = await read((did, host) => did === home && host === url)
  await taken(frames.slice(0, 40))
  await comesBack()
  await until(() => gaps.length > 0)
  expect(gaps).toMatchObject([{ did: home, host: url, cause: 'broken-event' }])
  await comesBack()
  expect(gaps).toHaveLength(1)
})

test('so it is where the last commit before the end comes only after it', async () => {
  const { gaps, taken, comesBack } = await read(() => true)
  await comesBack()
  await taken([commits[9]!])
  await until(() => gaps.length > 0)
  expect(gaps).toMatchObject([{ did: home, cause: 'broken-event' }])
})

test('so it is where it stays away for long, and was asked for in vain meanwhile', async () => {
  const { gaps, taken, isAwayFor } = await read(() => true)
  await isAwayFor(60_000)
  await taken([commits[9]!])
  await until(() => gaps.length > 0)
  expect(gaps).toMatchObject([{ did: home, cause: 'broken-event' }])
})

test('where we ended together with it, whoever wrote last is compared', async () => {
  const { gaps } = await read(() => true, commits[9]!)
  await until(() => gaps.length > 0)
  expect(gaps).toMatchObject([{ did: home, cause: 'broken-event' }])
})

test('so is whoever wrote while we were away', async () => {
  const { gaps, taken } = await read(() => true, commits[5]!)
  await until(() => gaps.length > 0)
  const before = gaps.length
  await taken(commits.slice(6, 9))
  await until(() => gaps.length > before)
  expect(gaps.every(({ did, cause }) => did === home && cause === 'broken-event')).toBe(true)
})

test('a relay that breaks off has nothing compared', async () => {
  const { gaps, taken, comesBack } = await read(() => false)
  await taken(frames.slice(0, 40))
  await comesBack()
  await taken(frames.slice(40, 60))
  expect(gaps).toEqual([])
})
