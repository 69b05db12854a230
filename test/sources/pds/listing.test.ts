// Listing a PDS that answers endlessly: the walk ends by itself.

import { expect, test } from 'vitest'
import type { Services } from '../../../src/ingest/backfill/work.ts'
import { walkCollection } from '../../../src/sources/pds/listing.ts'

const repo = { uid: 1, did: 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa', pds: 'https://pds.example' }

/** Walks pages: `keysOf` gives the keys of page number `n`, and there is always another page. */
async function walk(keysOf: (n: number) => string[]) {
  let pages = 0
  const listRecords = async () => {
    const keys = keysOf(pages++)
    const records = keys.map((rkey) => ({ rkey, cid: '', record: {} }))
    return { keys, records, broken: [], mismatched: 0, cursor: `page${pages}/${keys.at(-1)}` }
  }
  const services = {
    pds: { listRecords },
    now: () => 0,
    signal: new AbortController().signal,
  } as unknown as Services
  const end = await walkCollection(services, repo, {
    collection: 'app.bsky.graph.follow',
    maxRecords: 1_000_000,
    onPage: async () => {},
  })
  return { ...end, pages }
}

test('stops reading the same records under ever-new cursors', async () => {
  const { complete, pages } = await walk(() => ['3zzzzzzzzzzz2', '3zzzzzzzzzzz1'])
  expect(complete).toBe(false)
  expect(pages).toBeLessThan(20)
})

test('stops reading empty pages with cursors', async () => {
  const { complete, pages } = await walk(() => [])
  expect(complete).toBe(false)
  expect(pages).toBeLessThan(20)
})

test('keeps reading pages that lead further down', async () => {
  const keysOf = (n: number) => (n < 200 ? [String(9_000 - n)] : [])
  const { listed, floor } = await walk(keysOf)
  expect(listed).toBe(200)
  expect(floor).toBe('8801')
})
