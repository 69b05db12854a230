import { expect, test } from 'vitest'
import { atOnce } from '../../../../src/base/util/turn.ts'
import type { Writer } from '../../../../src/bridge/messages.ts'
import { type FilledPage, filledPage } from '../../../../src/http/xrpc/paging/paged-method.ts'
import { createFetchRequests } from '../../../../src/http/xrpc/waiting/fetch-requests.ts'

function fillPage(
  options: Parameters<typeof filledPage>[0],
  read: (cursor: string | undefined, limit: number) => FilledPage<number>,
): FilledPage<number> {
  // biome-ignore lint/correctness/useYield: it reads in one turn
  const reading = function* (cursor: string | undefined, limit: number) {
    return read(cursor, limit)
  }
  return atOnce(filledPage(options, reading))
}

/** Reads a list of numbers of which only every `nth` passes the filter; cursors are positions. */
function reader(length: number, nth: number) {
  const reads: number[] = []
  const read = (cursor: string | undefined, limit: number) => {
    const from = Number(cursor ?? 0)
    const to = Math.min(length, from + limit)
    reads.push(limit)
    const items = Array.from({ length: to - from }, (_, i) => from + i).filter((n) => n % nth === 0)
    return { items, cursor: to < length ? String(to) : undefined }
  }
  return { read, reads }
}

test('filtered items are replaced with later ones', () => {
  const { read, reads } = reader(100, 2)
  const page = fillPage({ limit: 8, cursor: undefined }, read)
  expect(page).toEqual({ items: [0, 2, 4, 6, 8, 10, 12, 14], cursor: '15' })
  expect(reads).toEqual([8, 4, 2, 1])
})

test('reading stops after ten turns, with a cursor to resume from', () => {
  const { read, reads } = reader(1_000, 1_000)
  expect(fillPage({ limit: 5, cursor: '1' }, read)).toEqual({ items: [], cursor: '51' })
  expect(reads).toHaveLength(10)
})

test('reading stops at the end, at a bound, with enough items, and where the cursor does not advance', () => {
  expect(fillPage({ limit: 5, cursor: undefined }, reader(7, 7).read)).toEqual({
    items: [0],
    cursor: undefined,
  })
  const bounded = fillPage({ limit: 5, cursor: undefined, end: '5' }, reader(100, 5).read)
  expect(bounded).toEqual({ items: [0], cursor: '5' })
  const enough = fillPage({ limit: 8, cursor: undefined, enough: 4 }, reader(100, 2).read)
  expect(enough).toEqual({ items: [0, 2, 4, 6], cursor: '8' })
  const still = fillPage({ limit: 5, cursor: undefined }, () => ({ items: [], cursor: 'x' }))
  expect(still.cursor).toBeUndefined()
})

test('the writer is asked for a few records at a time, each once in ten minutes, never for visitors', async () => {
  let now = 0
  const sent: string[][] = []
  let release = () => {}
  const writer: Writer = {
    send: (request) => {
      if (request.kind === 'fetch-requested') sent.push(request.dids)
      return new Promise((resolve) => {
        release = resolve
      })
    },
  }
  const fetchRequests = createFetchRequests({
    writer,
    actors: { uidOf: () => 1 },
    resolver: { resolve: async () => undefined },
    now: () => now,
  })
  const viewer = { uid: 1, did: 'did:plc:viewer' }

  fetchRequests.ask(undefined, { dids: ['a'] })
  fetchRequests.ask(viewer, { dids: ['a', 'b'] })
  fetchRequests.ask(viewer, { dids: ['b', 'c'] })
  now += 11 * 60 * 1000
  fetchRequests.ask(viewer, { dids: ['a'] })
  fetchRequests.ask(viewer, { dids: Array.from({ length: 500 }, (_, i) => `x${i}`) })
  expect(sent.map((dids) => dids.length)).toEqual([2, 1, 1, 100])

  for (let i = 0; i < 100; i++) fetchRequests.ask(viewer, { dids: [`y${i}`] })
  expect(sent).toHaveLength(16)
  release()
  await new Promise((resolve) => setImmediate(resolve))
  fetchRequests.ask(viewer, { dids: ['z'] })
  expect(sent).toHaveLength(17)
})

test('unknown accounts must exist before anything of theirs is requested', async () => {
  const sent: unknown[] = []
  const writer: Writer = { send: async (request) => void sent.push(request) }
  const real = 'did:plc:real'
  const fetchRequests = createFetchRequests({
    writer,
    actors: { uidOf: (did) => (did === 'did:plc:known' ? 1 : 0) },
    resolver: { resolve: async (did) => (did === real ? ({ did } as never) : undefined) },
  })
  const uri = (did: string) => `at://${did}/app.bsky.feed.post/3kaaaaaaaaa22`
  fetchRequests.ask(
    { uid: 1, did: 'did:plc:viewer' },
    {
      uris: [uri(real), uri('did:plc:made-up')],
      dids: ['did:plc:known', 'did:plc:made-up'],
    },
  )
  await new Promise((resolve) => setImmediate(resolve))
  const [request] = sent
  expect(request).toMatchObject({ uris: [uri(real)], dids: ['did:plc:known'] })
  fetchRequests.ask({ uid: 1, did: 'did:plc:viewer' }, { dids: ['did:plc:nobody'] })
  await new Promise((resolve) => setImmediate(resolve))
  expect(sent).toHaveLength(1)
})
