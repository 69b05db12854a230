// A thread's share of time, busy and with requests. The clock is the real one, so only order is asserted.

import { expect, test } from 'vitest'
import { watchBusyShare } from '../../../src/base/obs/busy-share.ts'

type Shares = { busy: number; requests: number }

/** The shares told while this thread works without a pause, and reports these requests as answered. */
async function sharesOf(answered: (report: (seconds: number) => void) => void): Promise<Shares> {
  const { promise, resolve } = Promise.withResolvers<Shares>()
  let isWorking = false
  const shares = watchBusyShare((notified) => {
    if (isWorking) resolve(notified)
  })
  await new Promise((done) => setTimeout(done, 60))
  isWorking = true
  answered((seconds) => shares.answered(seconds))
  for (const end = performance.now() + 300; performance.now() < end; );
  const notified = await promise
  shares.stop()
  return notified
}

test('work without requests, as at the start, keeps no reader waiting', async () => {
  const { busy, requests } = await sharesOf(() => {})
  expect(busy).toBeGreaterThan(0.5)
  expect(requests).toBe(0)
})

test('requests count with the time they took', async () => {
  const { busy, requests } = await sharesOf((report) => {
    report(0.01)
    report(0.02)
  })
  expect(requests).toBeGreaterThan(0)
  expect(requests).toBeLessThan(busy)
})

test('requests that waited side by side count once: never more than the thread was busy', async () => {
  const { busy, requests } = await sharesOf((report) => {
    for (let i = 0; i < 100; i++) report(0.3)
  })
  expect(requests).toBe(busy)
})
