import { expect, test } from 'vitest'
import { createFirstPage } from '../../src/xrpc/first-page.ts'

const { signal } = new AbortController()
const newcomer = (name = 'someone') => ({ did: `did:web:${name}.example`, uid: () => 1, signal })

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
  const page = await awaited(growingPage(), newcomer())
  expect(page.items.length).toBeGreaterThanOrEqual(20)
})

test('the end of the cold start ends the wait, however little there is', async () => {
  let looks = 0
  const accounts = { isNewcomer: () => ++looks < 3 }
  const { awaited } = createFirstPage({ accounts, patienceMs: 30_000 })
  const page = await awaited(growingPage(2), newcomer())
  expect(page.items).toEqual([0, 1])
  expect(looks).toBe(3)
})

test('patience is bounded, by time and by the client', async () => {
  let now = 0
  const clock = () => {
    now += 1_000
    return now
  }
  const options = { accounts: { isNewcomer: () => true }, patienceMs: 3_000, now: clock }
  const { awaited } = createFirstPage(options)
  expect(await awaited(growingPage(1), newcomer())).toEqual({ items: [0] })
  const gone = AbortSignal.abort()
  const page = await awaited(growingPage(1), { ...newcomer('other'), signal: gone })
  expect(page).toEqual({ items: [0] })
})

test('an account waits once: its next request gets what there is', async () => {
  const accounts = { isNewcomer: () => true }
  const { awaited } = createFirstPage({ accounts, patienceMs: 100 })
  await awaited(() => ({ items: [] }), newcomer())
  let reads = 0
  await awaited(() => ({ items: [reads++] }), newcomer())
  expect(reads).toBe(1)
})

test('no more than so many requests wait at once; the others get what there is', async () => {
  let isNewcomer = true
  const accounts = { isNewcomer: () => isNewcomer }
  const { awaited } = createFirstPage({ accounts, patienceMs: 30_000 })
  const empty = () => ({ items: [] })
  const crowd = Array.from({ length: 64 }, (_, i) => awaited(empty, newcomer(`n${i}`)))
  let reads = 0
  await awaited(() => ({ items: [reads++] }), newcomer('late'))
  expect(reads).toBe(1)
  isNewcomer = false
  await Promise.all(crowd)
})
