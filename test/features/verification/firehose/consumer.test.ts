// The firehose's consumer beside a relay double, over frames of a real PDS.

import { jsonToLex } from '@atproto/lex-json'
import type { StreamCursor, StreamEvent, StreamGap } from '@slipstream/jetstream'
import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { collections } from '../../../../src/base/atproto/collections.ts'
import { createConfirm } from '../../../../src/features/verification/account-status.ts'
import { createFirehose } from '../../../../src/features/verification/firehose/consumer.ts'
import { decodeFrame } from '../../../../src/features/verification/firehose/frame.ts'
import { createJudge } from '../../../../src/features/verification/firehose/judge.ts'
import type { AccountKeys } from '../../../../src/features/verification/firehose/keys.ts'
import { verifyingKey } from '../../../../src/sources/identity/verifying-key.ts'
import { until } from '../../../support/eventually.ts'
import { recordedFrames } from '../../../support/recorded-frames.ts'
import { cidOf } from '../../../support/records.ts'
import { errorFrame, frameOf, startFirehoseDouble } from '../firehose-double.ts'

const { frames, keys } = recordedFrames()
const cleanups: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

function accountKeys(of: Record<string, string> = keys): AccountKeys {
  const known = new Map<string, ReturnType<typeof verifyingKey>>()
  const get = async (did: string) => {
    if (of[did]) known.set(did, verifyingKey(of[did]))
    return known.get(did)
  }
  return { peek: (did) => known.get(did), get, renew: get, forget: (did) => void known.delete(did) }
}

async function start(hosts: string[], options: Partial<Parameters<typeof createFirehose>[0]> = {}) {
  const events: StreamEvent[] = []
  const gaps: StreamGap[] = []
  const cursors: StreamCursor[] = []
  const failures: string[] = []
  const firehose = createFirehose({
    hosts,
    judge: createJudge({ keys: accountKeys(), verifies: () => true }),
    collections: new Set(collections),
    cursors: [],
    async apply(batch) {
      events.push(...(batch.events as StreamEvent[]))
      gaps.push(...batch.gaps)
      cursors.push(batch.cursor)
    },
    onFailure: (_host, reason) => void failures.push(reason),
    log: pino({ level: 'silent' }),
    limits: { backoffBaseMs: 2, backoffMaxMs: 20 },
    ...options,
  })
  cleanups.push(() => firehose.stop())
  firehose.start()
  return { firehose, events, gaps, cursors, failures }
}

async function startDouble() {
  const double = await startFirehoseDouble()
  cleanups.push(double.close)
  return double
}

const expected = frames.flatMap((frame) => {
  const message = decodeFrame(frame)
  if (typeof message === 'string' || !('kind' in message)) return []
  if (message.kind !== 'commit') return [`${message.kind} ${message.did}`]
  return message.ops.map(({ action, collection, rkey }) => `${action} ${collection}/${rkey}`)
})

function plain(event: StreamEvent): string {
  if (event.kind !== 'commit') return `${event.kind} ${event.did}`
  return `${event.operation} ${event.collection}/${event.rkey}`
}

test('a PDS’s whole stream arrives in order, verified', async () => {
  const double = await startDouble()
  const { events, gaps, failures, cursors } = await start([double.url])
  await until(() => double.openConnections() === 1)
  for (const frame of frames) double.send(frame)
  await until(() => events.length === expected.length)
  expect(events.map(plain)).toEqual(expected)
  expect([gaps, failures]).toEqual([[], []])
  const last = decodeFrame(frames.at(-1)!)
  expect(cursors.at(-1)).toMatchObject({
    host: double.url,
    wire: 'repos',
    seq: (last as { seq: number }).seq,
  })
})

test('after a break it goes on behind the last event, also in another process', async () => {
  const double = await startDouble()
  const first = await start([double.url])
  await until(() => double.openConnections() === 1)
  for (const frame of frames.slice(0, 100)) double.send(frame)
  await until(() => first.events.length > 0 && first.firehose.status().received === 100)
  double.disconnect()
  for (const frame of frames.slice(100, 200)) double.send(frame)
  await until(() => first.firehose.status().received === 200)
  await first.firehose.stop()
  for (const frame of frames.slice(200)) double.send(frame)
  const second = await start([double.url], { cursors: [first.cursors.at(-1)!] })
  await until(() => first.events.length + second.events.length >= expected.length)
  expect([...first.events, ...second.events].map(plain)).toEqual(expected)
  expect([...first.gaps, ...second.gaps]).toEqual([])
})

test('what is not signed by its account brings no event, and its account is compared', async () => {
  const double = await startDouble()
  const [liar] = Object.keys(keys)
  const judge = createJudge({
    keys: accountKeys({ ...keys, [liar!]: Object.values(keys)[1]! }),
    verifies: () => true,
  })
  const { events, gaps, failures } = await start([double.url], { judge })
  await until(() => double.openConnections() === 1)
  for (const frame of frames) double.send(frame)
  await until(() => events.length + failures.length > frames.length * 0.9)
  expect(events.filter((event) => event.kind === 'commit' && event.did === liar)).toEqual([])
  expect(new Set(failures)).toEqual(new Set(['bad-signature']))
  await until(() => gaps.length > 0)
  expect(new Set(gaps.map(({ did, cause }) => `${did} ${cause}`))).toEqual(
    new Set([`${liar} broken-event`]),
  )
})

test('a host that no longer has the cursor leaves a gap, and the stream goes on', async () => {
  const double = await startDouble()
  const cursor = { host: double.url, wire: 'repos', seq: 5, timeUs: 1_700_000_000_000_000 } as const
  double.notices.push(frameOf('#info', { name: 'OutdatedCursor', message: 'too old' }))
  for (const frame of frames) double.send(frame)
  const { events, gaps } = await start([double.url], { cursors: [cursor] })
  await until(() => events.length > 0)
  expect(gaps).toMatchObject([
    { host: double.url, fromUs: cursor.timeUs, cause: 'outdated-cursor' },
  ])
  expect(double.cursors).toEqual(['5'])
})

test('said twice on one connection, it leaves one gap', async () => {
  const double = await startDouble()
  const cursor = { host: double.url, wire: 'repos', seq: 5, timeUs: 1_700_000_000_000_000 } as const
  const notice = frameOf('#info', { name: 'OutdatedCursor', message: 'too old' })
  double.notices.push(notice, notice)
  for (const frame of frames) double.send(frame)
  const { gaps, firehose } = await start([double.url], { cursors: [cursor] })
  await until(() => gaps.length > 0)
  expect(gaps).toMatchObject([{ fromUs: cursor.timeUs, cause: 'outdated-cursor' }])
  expect(firehose.status().gaps).toBe(1)
})

test('a host that never gave this number is read from the present, with a gap', async () => {
  const double = await startDouble()
  const cursor = {
    host: double.url,
    wire: 'repos',
    seq: 9e6,
    timeUs: 1_700_000_000_000_000,
  } as const
  double.notices.push(errorFrame('FutureCursor', 'in the future'))
  const { events, gaps } = await start([double.url], { cursors: [cursor] })
  await until(() => double.cursors.length === 1)
  double.disconnect()
  await until(() => double.cursors.length === 2 && double.openConnections() === 1)
  for (const frame of frames.slice(0, 20)) double.send(frame)
  await until(() => events.length > 0)
  expect(double.cursors).toEqual(['9000000', null])
  expect(gaps).toMatchObject([{ cause: 'outdated-cursor' }])
})

test('the next host takes over where one is away', async () => {
  const double = await startDouble()
  const gone = await startDouble()
  await gone.close()
  const { events, firehose } = await start([gone.url, double.url])
  await until(() => double.openConnections() === 1)
  for (const frame of frames) double.send(frame)
  await until(() => events.length === expected.length)
  expect(firehose.status()).toMatchObject({ host: double.url, connected: true })
})

test('a commit that is too big to be sent has its account compared', async () => {
  const double = await startDouble()
  const { gaps, failures, firehose } = await start([double.url])
  await until(() => double.openConnections() === 1)
  const [honest] = frames.filter((frame) => {
    const message = decodeFrame(frame)
    return typeof message === 'object' && 'kind' in message && message.kind === 'commit'
  })
  const { did, rev, timeUs } = decodeFrame(honest!) as { did: string; rev: string; timeUs: number }
  const time = new Date(timeUs / 1000).toISOString()
  const rest = { blocks: Buffer.alloc(0), ops: [], blobs: [], rebase: false, since: null }
  const commit = jsonToLex({ $link: cidOf('a large commit') } as never)
  const message = { seq: 999_999, repo: did, rev, time, tooBig: true, commit, ...rest }
  double.send(frameOf('#commit', message))
  await until(() => failures.length === 1)
  double.send(frames[0]!)
  await until(() => firehose.status().received === 2)
  await until(() => gaps.length === 1)
  expect([failures, gaps[0]!.did]).toEqual([['too-big'], did])
})

test('the only stream: where another host takes over, what is between is a gap', async () => {
  const [first, second] = [await startDouble(), await startDouble()]
  const { events, gaps, firehose } = await start([first.url, second.url], {
    receivedUntilUs: 1_700_000_000_000_000,
    limits: { backoffBaseMs: 2, backoffMaxMs: 20, attemptsPerHost: 1 },
  })
  await until(() => first.openConnections() === 1)
  for (const frame of frames.slice(0, 100)) first.send(frame)
  await until(() => firehose.status().received === 100 && events.length > 0)
  await first.close()
  await until(() => second.openConnections() === 1)
  for (const frame of frames.slice(100)) second.send(frame)
  await until(() => gaps.length === 2)
  const last = decodeFrame(frames[99]!) as { timeUs: number }
  expect(gaps.map(({ host, fromUs, cause }) => ({ host, fromUs, cause }))).toEqual([
    { host: first.url, fromUs: 1_700_000_000_000_000, cause: 'outdated-cursor' },
    { host: second.url, fromUs: last.timeUs, cause: 'outdated-cursor' },
  ])
  expect(firehose.status()).toMatchObject({ host: second.url, connected: true, gaps: 2 })
})

test('a host that is connected and silent is left for the next', async () => {
  const [silent, other] = [await startDouble(), await startDouble()]
  for (const frame of frames) other.send(frame)
  const cursor = { host: other.url, wire: 'repos', seq: 0, timeUs: 1_700_000_000_000_000 } as const
  const { events } = await start([silent.url, other.url], {
    cursors: [cursor],
    limits: { backoffBaseMs: 2, backoffMaxMs: 20, attemptsPerHost: 1, silentAfterMs: 100 },
  })
  await until(() => events.length === expected.length)
  expect(silent.cursors.length).toBeGreaterThan(0)
})

test('whether an account is there, its own server decides: not who says so', async () => {
  const double = await startDouble()
  const [did, other] = Object.keys(keys)
  const answers: Record<string, unknown> = {}
  const requested: string[] = []
  const confirm = createConfirm({
    resolver: {
      async resolve(_did, options) {
        expect(options).toEqual({ forceRefresh: true, isFreshOnly: true })
        return { pds: 'http://own' } as never
      },
    },
    async fetch(url) {
      requested.push(url)
      const { status, body } = answers['now'] as { status: number; body: object }
      return { status, body: Buffer.from(JSON.stringify(body)) } as never
    },
  })
  const isOurs = (value: string) => value === did
  const judge = createJudge({ keys: accountKeys(), verifies: isOurs, confirm })
  const { events, gaps } = await start([double.url], { judge })
  await until(() => double.openConnections() === 1)
  let seq = 0
  const say = async (answer: object, status: string, about = did!) => {
    answers['now'] = answer
    const fields = { did: about, active: false, status, seq: ++seq, time: new Date().toISOString() }
    double.send(frameOf('#account', fields))
    await until(() => events.length === seq)
    const { active, status: believed } = events.at(-1) as { active: boolean; status?: string }
    return [active, believed]
  }
  const active = { status: 200, body: { active: true } }
  expect(await say(active, 'deleted')).toEqual([true, undefined])
  const takendown = { status: 200, body: { active: false, status: 'takendown' } }
  expect(await say(takendown, 'deactivated')).toEqual([false, 'takendown'])
  expect(await say({ status: 400, body: { error: 'RepoNotFound' } }, 'deleted')).toEqual([
    false,
    'deleted',
  ])
  // Nobody can say: nothing is removed.
  expect(await say({ status: 502, body: {} }, 'deleted')).toEqual([false, 'deactivated'])
  expect(await say({ status: 501, body: {} }, 'suspended')).toEqual([false, 'suspended'])
  expect(gaps.map((gap) => gap.did)).toEqual([did, did])
  expect(requested).toHaveLength(5)
  expect(await say(active, 'deleted', other)).toEqual([false, 'deleted'])
  expect(requested).toHaveLength(5)
})

test('an account is compared though nothing follows the commit that failed', async () => {
  const double = await startDouble()
  const { gaps, events, cursors } = await start([double.url], {
    judge: createJudge({ keys: accountKeys({}), verifies: () => true }),
  })
  await until(() => double.openConnections() === 1)
  const commit = frames.find(
    (frame) => (decodeFrame(frame) as { kind?: string }).kind === 'commit',
  )!
  double.send(commit)
  const { did, seq } = decodeFrame(commit) as { did: string; seq: number }
  await until(() => gaps.length === 1)
  expect(gaps).toMatchObject([{ did, cause: 'broken-event' }])
  expect(events).toEqual([])
  expect(cursors).toMatchObject([{ seq }])
})
