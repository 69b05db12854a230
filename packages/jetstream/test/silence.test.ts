// A host that accepts connections, answers pings and sends nothing: left if the stream covers the whole
// network, kept if it covers only some accounts.

import { expect, test, vi } from 'vitest'
import { didOf } from '../../../test/support/jetstream-double/made-up-ids.ts'
import { createSilenceWatch } from '../src/silence.ts'
import { startConsumer, startDouble } from './consumer-rig.ts'

const timedIn = (frame: string | Buffer, microseconds: number) =>
  frame
    .toString()
    .replace(/"time_us":(\d+)/, (_, us) => `"time_us":${Math.floor(Number(us) / microseconds)}`)

const limits = { silentAfterMs: 40, maxSilentAfterMs: 5_000 }

test('leaves a silent host for the next one, which delivers everything', async () => {
  const [silent, good] = [await startDouble(), await startDouble()]
  const rig = startConsumer([silent, good], { limits })
  await rig.until(() => rig.consumer.status().host === good.url && good.openConnections() === 1)
  expect(rig.logs.find(({ msg }) => msg === 'stream lost')).toMatchObject({
    kind: 'idle',
    host: silent.url,
    message: expect.stringContaining('nothing came'),
  })
  const { emit } = good
  emit({ kind: 'identity', did: didOf(1), handle: 'one.test' })
  await rig.until(() => rig.events.length === 1)
  expect(silent.openConnections()).toBe(0)
})

test('frames that can’t be read are no silence, and are named', async () => {
  const [bad, good] = [await startDouble(), await startDouble()]
  bad.behaviour.tamper = (frame) => frame.toString().replace('time_us', 'timestamp')
  const plain = { wire: 'v1', compress: false } as const
  const rig = startConsumer([bad, good], { limits: { ...limits, silentAfterMs: 400 }, ...plain })
  await rig.untilConnected()
  bad.emit({ kind: 'identity', did: didOf(1), handle: 'one.test' })
  await rig.until(() => rig.consumer.status().host === good.url)
  expect(Object.keys(rig.consumer.status().dropped)).toEqual(['bad-time'])
  expect(rig.logs.find(({ msg }) => msg === 'stream lost')?.['message']).toMatch(
    /only frames that can’t be read \(bad-time\)/,
  )
})

test.each([
  ['seconds', 1e6],
  ['milliseconds', 1e3],
])('leaves a host whose times are in %s, which would be of 1970', async (unit, per) => {
  const [bad, good] = [await startDouble(), await startDouble()]
  bad.behaviour.tamper = (frame) => timedIn(frame, per)
  const rig = startConsumer([bad, good], { wire: 'v1', compress: false })
  await rig.untilConnected()
  for (const double of [bad, good])
    double.emit({ kind: 'identity', did: didOf(1), handle: 'one.test' })
  await rig.until(() => rig.consumer.status().host === good.url)
  expect(rig.logs.find(({ msg }) => msg === 'stream lost')?.['message']).toBe(
    `the times of its events are in ${unit}, where Jetstream has microseconds`,
  )
  good.emit({ kind: 'identity', did: didOf(2), handle: 'two.test' })
  await rig.until(() => rig.events.some(({ did }) => did === didOf(2)))
  expect(rig.events.every(({ timeUs }) => timeUs > 1e15)).toBe(true)
})

test('one event in another unit is not taken, and its account is compared', async () => {
  const double = await startDouble()
  const rig = startConsumer(double, { wire: 'v1', compress: false })
  await rig.untilConnected()
  double.behaviour.tamper = (frame, { event }) =>
    event.did === didOf(2) ? timedIn(frame, 1e3) : frame
  double.emit({ kind: 'identity', did: didOf(1), handle: 'one.test' })
  double.emit({ kind: 'identity', did: didOf(2), handle: 'two.test' })
  double.emit({ kind: 'identity', did: didOf(3), handle: 'three.test' })
  await rig.until(() => rig.events.length === 2 && rig.gaps.length === 1)
  expect(rig.events.map(({ did }) => did)).toEqual([didOf(1), didOf(3)])
  expect(rig.gaps).toMatchObject([{ cause: 'broken-event', did: didOf(2) }])
})

test('also leaves one that fell silent after some events, and loses nothing', async () => {
  const [stuck, good] = [await startDouble(), await startDouble()]
  const rig = startConsumer([stuck, good], { limits })
  await rig.untilConnected()
  for (const double of [stuck, good]) {
    double.emit({ kind: 'identity', did: didOf(1), handle: 'one.test' })
    if (double === stuck) await rig.until(() => rig.events.length > 0)
  }
  good.emit({ kind: 'identity', did: didOf(2), handle: 'two.test' })
  await rig.until(() => rig.events.some(({ did }) => did === didOf(2)))
  expect(rig.consumer.status().host).toBe(good.url)
})

test('with a filter on accounts, silence is no reason to leave', async () => {
  const [quiet, other] = [await startDouble(), await startDouble()]
  const rig = startConsumer([quiet, other], {
    limits,
    filters: { collections: [], dids: [didOf(1)] },
  })
  await rig.untilConnected()
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect([quiet.openConnections(), other.openConnections()]).toEqual([1, 0])
  expect(rig.consumer.status().reconnects).toBe(0)
})

test('waits longer each time while the whole network is quiet, until an event arrives', () => {
  vi.useFakeTimers()
  let received = 0
  const waits: number[] = []
  let since = Date.now()
  const watch = createSilenceWatch(
    { silentAfterMs: 1_000, maxSilentAfterMs: 8_000 },
    { received: () => received, isExpected: () => true },
  )
  const again = () => {
    waits.push(Date.now() - since)
    since = Date.now()
    watch.watch(again)
  }
  watch.watch(again)
  vi.advanceTimersByTime(24_000)
  received = 1
  vi.advanceTimersByTime(12_000)
  vi.useRealTimers()
  watch.stop()
  expect(waits.slice(0, 5)).toEqual([1_000, 2_000, 4_000, 8_000, 8_000])
  // The wait in which the event arrived is not a silence; the one after it is short again.
  expect(waits[5]).toBe(9_000)
  expect(waits[6]).toBe(2_000)
})
