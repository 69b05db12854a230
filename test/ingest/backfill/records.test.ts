// Feed generators, starter packs, labelers, verifications and declarations, fetched from repositories: all of
// those of members and authors, and of other accounts only requested ones.

import { afterEach, describe, expect, it } from 'vitest'
import {
  collectionCodes,
  type RecordCollection,
  recordCollections,
} from '../../../src/base/atproto/collections.ts'
import type { PackedRkey } from '../../../src/base/atproto/keys.ts'
import { unpackCid, unpackRkey } from '../../../src/base/atproto/keys.ts'
import { fetchMissing } from '../../../src/ingest/indexing/fetch-missing.ts'
import { type BackfillWorld, refOf, startBackfillWorld } from '../../support/backfill-world.ts'
import type { PdsAccount } from '../../support/pds-double.ts'

const GENERATOR = 'app.bsky.feed.generator'
const CHAT = 'chat.bsky.actor.declaration'
const VERIFICATION = 'app.bsky.graph.verification'

let world: BackfillWorld

afterEach(() => world.close())

const createdAt = '2026-01-01T00:00:00.000Z'
const atMs = Date.parse(createdAt)

function feedBy(account: PdsAccount, rkey: string) {
  const value = { did: 'did:web:feeds.test', displayName: rkey, createdAt }
  return account.put({ collection: GENERATOR, rkey, value, atMs })
}

function held(account: PdsAccount, collection: RecordCollection): Record<string, string> {
  const rows = world.db
    .prepare<[number, number], { rkey: PackedRkey; cid: Buffer }>(
      'SELECT rkey, cid FROM records WHERE uid = ? AND collection = ? AND cid IS NOT NULL',
    )
    .all(world.uid(account), collectionCodes[collection])
  return Object.fromEntries(rows.map(({ rkey, cid }) => [unpackRkey(rkey), unpackCid(cid)]))
}

const there = (account: PdsAccount, collection: string) =>
  Object.fromEntries(
    [...(account.collections.get(collection)?.values() ?? [])].map(({ rkey, cid }) => [rkey, cid]),
  )

it('fetches those of a member and their follows, and requests none from accounts that have none', async () => {
  world = await startBackfillWorld()
  const [member, author, plain] = [
    await world.person('member'),
    await world.person('author'),
    await world.person('plain'),
  ]
  world.follow(member, author)
  world.follow(member, plain)
  feedBy(member, 'mine')
  for (const name of ['cats', 'dogs', 'birds']) feedBy(author, name)
  author.put({ collection: CHAT, rkey: 'self', value: { allowIncoming: 'all' }, atMs })
  author.put({ collection: CHAT, rkey: 'other', value: { allowIncoming: 'all' }, atMs })
  const nameOf = new Map(
    [member, author, plain].map(({ did, handle }) => [did, handle.split('.')[0]]),
  )
  const requested = new Set<string>()
  world.hosts[0]!.onRequest(({ method, query }) => {
    if (
      !method.endsWith('listRecords') ||
      !(recordCollections as readonly string[]).includes(query['collection']!)
    )
      return
    requested.add(`${nameOf.get(query['repo']!)} ${query['collection']}`)
  })
  world.member(member)
  world.backfill.start()
  await world.settled()
  for (const account of [member, author, plain]) {
    expect(held(account, GENERATOR)).toEqual(there(account, GENERATOR))
  }
  expect(Object.keys(held(author, CHAT))).toEqual(['self'])
  expect(
    [...requested]
      .filter((line) => !line.startsWith('member') || line.endsWith('generator'))
      .sort(),
  ).toEqual([
    'author app.bsky.feed.generator',
    'author chat.bsky.actor.declaration',
    'member app.bsky.feed.generator',
  ])
})

it('removes records that a repository no longer has', async () => {
  world = await startBackfillWorld()
  const member = await world.person('member')
  feedBy(member, 'gone')
  world.member(member)
  world.backfill.start()
  await world.settled()
  expect(held(member, GENERATOR)).toEqual(there(member, GENERATOR))
  member.remove(GENERATOR, 'gone', atMs)
  world.live({ kind: 'sync', did: member.did, timeUs: 1, seq: undefined, rev: member.rev })
  await world.settled()
  expect(held(member, GENERATOR)).toEqual({})
})

it('fetches a stranger’s feed to be shown to a member, and its creator', async () => {
  world = await startBackfillWorld()
  const [member, stranger] = [await world.person('member'), await world.person('stranger')]
  const feed = feedBy(stranger, 'cats')
  world.member(member)
  world.backfill.start()
  await world.settled()
  const none = `at://${stranger.did}/${GENERATOR}/none`
  world.writer.commit((ctx) => fetchMissing(ctx, { uris: [refOf(feed).uri, none], dids: [] }))
  world.backfill.wake()
  await world.settled()
  expect(held(stranger, GENERATOR)).toEqual({ cats: refOf(feed).cid })
  const handle = world.db
    .prepare('SELECT handle FROM actors WHERE did = ?')
    .pluck()
    .get(stranger.did)
  expect(handle).toBe('stranger.example.com')
})

it('fetches all verifications of a trusted verifier once there is a member', async () => {
  const trustedVerifiers: string[] = []
  world = await startBackfillWorld({ trustedVerifiers })
  const [member, verifier] = [await world.person('member'), await world.person('verifier')]
  trustedVerifiers.push(verifier.did)
  const subject = (await world.person('somebody')).did
  const value = { subject, handle: 'somebody.example.com', displayName: 'Somebody', createdAt }
  verifier.put({ collection: VERIFICATION, rkey: '3kaaaaaaaaaaa', value, atMs })
  await world.restart() // now the verifier is trusted
  world.member(member)
  world.backfill.start()
  await world.settled()
  expect(held(verifier, VERIFICATION)).toEqual(there(verifier, VERIFICATION))
  expect(world.memory.actors.uidOf(subject)).not.toBe(0)
})

describe('lists of an account whose records are being read as a stranger’s', () => {
  const LIST = 'app.bsky.graph.list'

  async function readWhile(happens: (member: PdsAccount, stranger: PdsAccount) => void) {
    world = await startBackfillWorld()
    const [member, stranger] = [await world.person('member'), await world.person('stranger')]
    world.member(member)
    world.backfill.start()
    await world.settled()
    stranger.put({ collection: CHAT, rkey: 'self', value: { allowIncoming: 'all' }, atMs })
    const value = { name: 'people', purpose: 'app.bsky.graph.defs#curatelist', createdAt }
    stranger.put({ collection: LIST, rkey: '3kaaaaaaaaaaa', value, atMs })
    let isOver = false
    world.hosts[0]!.onRequest(({ query }) => {
      if (isOver || query['repo'] !== stranger.did || query['collection'] !== CHAT) return
      isOver = true
      happens(member, stranger)
    })
    world.writer.commit((ctx) => fetchMissing(ctx, { uris: [], dids: [stranger.did] }))
    world.backfill.wake()
    await world.settled()
    expect(isOver).toBe(true)
    return world.db
      .prepare('SELECT count(*) FROM lists WHERE uid = ? AND cid IS NOT NULL')
      .pluck()
      .get(world.uid(stranger))
  }

  it('are fetched if a member follows it at that moment', async () => {
    expect(await readWhile((member, stranger) => world.live(world.follow(member, stranger)))).toBe(
      1,
    )
  })

  it('are fetched if it becomes a member at that moment', async () => {
    expect(await readWhile((_member, stranger) => world.member(stranger))).toBe(1)
  })
})
