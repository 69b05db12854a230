// A host that takes connections, answers pings and says nothing: left where the whole network is listened to,
// kept where only some accounts are.

import { expect, test, vi } from 'vitest'
import { createSilenceWatch } from '../../../src/sources/jetstream/silence.ts'
import { didOf } from '../../support/jetstream-double/made-up-ids.ts'
import { startConsumer, startDouble } from './consumer-rig.ts'

const limits = { silentAfterMs: 40, maxSilentAfterMs: 5_000 }

test('a silent host is left for the next one, which brings everything', async () => {
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

test('one that brought something and then fell silent is left too, and nothing is lost', async () => {
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

test('where some accounts alone are listened to, silence is no reason', async () => {
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

test('a network that is quiet everywhere is waited for longer each time, until something comes', () => {
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
  // The wait in which something came is no silence; the one after it is short again.
  expect(waits[5]).toBe(9_000)
  expect(waits[6]).toBe(2_000)
})
