// How long catching up rests to give way to readers, given the processor time that it used. No real clock.

import { expect, test } from 'vitest'
import { createGiveWay } from '../../../src/ingest/upkeep/give-way.ts'

function createScene() {
  const state = { busy: 0, workedMs: 0 }
  const slept: number[] = []
  const rested: number[] = []
  const giveWay = createGiveWay({
    busiest: () => state.busy,
    workedMs: () => state.workedMs,
    sleep: async (ms) => void slept.push(ms),
    onRested: (ms) => rested.push(ms),
  })
  async function batch(busy: number, ms: number): Promise<void> {
    state.busy = busy
    state.workedMs += ms
    await giveWay.rest()
  }
  return { batch, giveWay, slept, rested }
}

test('never rests while there are no readers, and owes nothing for later', async () => {
  const { batch, giveWay, slept } = createScene()
  for (let i = 0; i < 100; i++) await batch(0.05, 20)
  expect(giveWay.wantsShortBatches()).toBe(false)
  await batch(1, 10)
  expect(slept).toEqual([20])
})

test('keeps a third of its pace under heavy reading, and gives up no more', async () => {
  const { batch, giveWay, slept, rested } = createScene()
  for (let i = 0; i < 50; i++) await batch(0.8, 12)
  expect(giveWay.wantsShortBatches()).toBe(true)
  await batch(0.9, 0)
  expect(giveWay.wantsShortBatches()).toBe(false)
  expect(slept.reduce((sum, ms) => sum + ms, 0)).toBe(50 * 24)
  expect(rested).toEqual(slept)
})

test('rests a little for light reading, adds up batches too short for a timer, and bounds each rest', async () => {
  const { batch, slept } = createScene()
  await batch(0.175, 10)
  expect(slept.splice(0)).toEqual([expect.closeTo(10)])
  for (let i = 0; i < 7; i++) await batch(1, 0.5)
  expect(slept.splice(0)).toEqual([2, 2, 2])
  await batch(1, 5_000)
  expect(slept).toEqual([200])
})
