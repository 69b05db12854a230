// How long catching up rests to give way to readers, given the processor time that it used. No real clock.

import { expect, test } from 'vitest'
import { createGiveWay } from '../../../src/ingest/upkeep/give-way.ts'

function createScene() {
  const state = { busy: 0, workedMs: 0, nowMs: 0 }
  const slept: number[] = []
  const rested: number[] = []
  const giveWay = createGiveWay({
    requestShare: () => state.busy,
    workedMs: () => state.workedMs,
    now: () => state.nowMs,
    sleep: async (ms) => {
      state.nowMs += ms
      slept.push(ms)
    },
    onRested: (ms) => rested.push(ms),
  })
  async function batch(busy: number, ms: number): Promise<void> {
    state.busy = busy
    state.workedMs += ms
    state.nowMs += ms
    await giveWay.rest()
  }
  /** Batches of 10 ms until this much time has passed. */
  async function batches(busy: number, ms: number): Promise<void> {
    for (const endMs = state.nowMs + ms; state.nowMs < endMs; ) await batch(busy, 10)
  }
  return { batch, batches, giveWay, slept, rested }
}

const sum = (all: readonly number[]) => all.reduce((total, ms) => total + ms, 0)

test('never rests while there are no readers, and owes nothing for later', async () => {
  const { batch, giveWay, slept } = createScene()
  for (let i = 0; i < 100; i++) await batch(0.05, 20)
  expect(giveWay.mostEvents()).toBeUndefined()
  await batch(0.8, 10)
  expect(slept).toEqual([20])
})

test('keeps a third of its pace under heavy reading, and gives up no more', async () => {
  const { batch, giveWay, slept, rested } = createScene()
  for (let i = 0; i < 50; i++) await batch(0.8, 12)
  expect(giveWay.mostEvents()).toBe(64)
  expect(sum(slept)).toBe(50 * 24)
  expect(rested).toEqual(slept)
})

test('rests a little for light reading, adds up batches too short for a timer, and bounds each rest', async () => {
  const { batch, slept } = createScene()
  await batch(0.175, 10)
  expect(slept.splice(0)).toEqual([expect.closeTo(10)])
  for (let i = 0; i < 7; i++) await batch(0.8, 0.5)
  expect(slept.splice(0)).toEqual([2, 2, 2])
  await batch(0.8, 5_000)
  expect(slept).toEqual([200])
})

test('rests longer once a thread becomes saturated, but only for some seconds', async () => {
  const { batch, batches, giveWay, slept } = createScene()
  await batch(1, 10)
  expect(giveWay.mostEvents()).toBe(256)
  expect(slept.splice(0)).toEqual([200])
  await batches(1, 30_000)
  const more = sum(slept.map((ms) => ms - 20))
  expect(more + 180).toBeCloseTo(8_000)
  expect(slept.at(-1)).toBeCloseTo(20)
  expect(giveWay.mostEvents()).toBeUndefined()
})

test('rests less in a surge as the thread gets time again, and not at all longer without saturation', async () => {
  const { batch, giveWay, slept } = createScene()
  await batch(0.84, 5)
  await batch(1, 5)
  await batch(0.8, 5)
  expect(giveWay.mostEvents()).toBe(64)
  await batch(0.6, 5)
  expect(slept).toEqual([10, 100, expect.closeTo(55), 10])
})

test('gains back what a short surge spent, although it never ended', async () => {
  const { batches, slept } = createScene()
  await batches(1, 2_000)
  await batches(0.05, 200_000)
  slept.splice(0)
  await batches(1, 30_000)
  expect(sum(slept.map((ms) => ms - 20))).toBeCloseTo(8_000)
})

test('begins no second surge until half of the rest has grown back', async () => {
  const { batch, batches, slept } = createScene()
  await batches(1, 30_000)
  await batches(0.8, 40_000)
  slept.splice(0)
  await batch(1, 10)
  expect(slept.splice(0)).toEqual([expect.closeTo(20)])
  await batches(0.8, 40_000)
  slept.splice(0)
  await batch(1, 10)
  expect(slept).toEqual([200])
})
