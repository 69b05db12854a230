import { expect, test } from 'vitest'
import { createFirstPage } from '../../src/xrpc/first-page.ts'

const signal = new AbortController().signal
const uid = () => 1

/** A page that grows by one item each time it is read. */
function growingPage(upTo = Infinity) {
  const items: number[] = []
  return () => {
    if (items.length < upTo) items.push(items.length)
    return { items: [...items] }
  }
}

test('a newcomer gets a good part of a page, not the first item that came', async () => {
  const { awaited } = createFirstPage({ accounts: { isNewcomer: () => true }, patienceMs: 30_000 })
  const page = await awaited(growingPage(), { uid, signal })
  expect(page.items.length).toBeGreaterThanOrEqual(20)
})

test('the end of the cold start ends the wait, however little there is', async () => {
  let looks = 0
  const accounts = { isNewcomer: () => ++looks < 3 }
  const { awaited } = createFirstPage({ accounts, patienceMs: 30_000 })
  const page = await awaited(growingPage(2), { uid, signal })
  expect(page.items).toEqual([0, 1])
  expect(looks).toBe(3)
})

test('patience is bounded, by time and by the client', async () => {
  let now = 0
  const options = {
    accounts: { isNewcomer: () => true },
    patienceMs: 3_000,
    now: () => (now += 1_000),
  }
  const { awaited } = createFirstPage(options)
  expect(await awaited(growingPage(1), { uid, signal })).toEqual({ items: [0] })
  const gone = AbortSignal.abort()
  const reads = growingPage(1)
  expect(await awaited(reads, { uid, signal: gone })).toEqual({ items: [0] })
})

test('no more than so many requests wait at once; the others get what there is', async () => {
  let isNewcomer = true
  const accounts = { isNewcomer: () => isNewcomer }
  const { awaited } = createFirstPage({ accounts, patienceMs: 30_000 })
  const empty = () => ({ items: [] })
  const crowd = Array.from({ length: 64 }, () => awaited(empty, { uid, signal }))
  expect(await awaited(empty, { uid, signal })).toEqual({ items: [] })
  isNewcomer = false
  await Promise.all(crowd)
})
