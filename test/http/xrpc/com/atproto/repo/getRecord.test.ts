// com.atproto.repo.getRecord: our copy, or the record that the account's PDS answers, if it has its CID.

import { afterEach, describe, expect, test } from 'vitest'
import { cidOfRecord } from '../../../../../../src/base/atproto/record-cid.ts'
import type { JsonObject } from '../../../../../../src/base/util/json-object.ts'
import { didOf } from '../../../../../support/records.ts'
import {
  createServingWorld,
  type ServingOptions,
  type ServingWorld,
} from '../../../../../support/serving-world.ts'

const NSID = 'com.atproto.repo.getRecord'
const [alice, bob] = ['alice', 'bob'].map(didOf) as [string, string]
const DISCOVER = {
  repo: 'did:plc:z72i7hdynmk6r22z27h6tvur',
  collection: 'app.bsky.feed.generator',
  rkey: 'whats-hot',
}

let world: ServingWorld | undefined
afterEach(() => world?.dispose())

function start(options: ServingOptions = {}): ServingWorld {
  world = createServingWorld({ scope: 'network', members: ['alice'], ...options })
  world.profile(bob, { displayName: 'Bob' })
  world.handle(bob, 'bob.test', 'https://pds.example')
  return world
}

type Answer = { uri: string; cid: string; value: JsonObject }

/** A world whose PDS gives this answer; undefined: it has no such record. */
function withPds(answer: (honest: Answer) => object | undefined, options: ServingOptions = {}) {
  const requested: string[] = []
  const w = start({
    ...options,
    fetch: async (url) => {
      requested.push(url)
      const { searchParams } = new URL(url)
      const [repo, collection, rkey] = ['repo', 'collection', 'rkey'].map((name) =>
        searchParams.get(name),
      )
      const value = { $type: collection, text: 'honest' }
      const uri = `at://${repo}/${collection}/${rkey}`
      const given = answer({ uri, cid: cidOfRecord(value), value })
      const body = Buffer.from(JSON.stringify(given ?? { error: 'RecordNotFound' }))
      return { status: given ? 200 : 400, headers: new Headers(), body, url }
    },
  })
  const ask = (rkey: string, more: { collection?: string; cid?: string } = {}) =>
    w.ask(NSID, { repo: 'bob.test', collection: 'a.b.c', rkey, ...more })
  return { w, asked: requested, ask }
}

describe('a record', () => {
  test('that our index keeps is answered from it, and a deleted one is not there', async () => {
    const { w, asked: requested, ask } = withPds((honest) => honest)
    const post = w.post(bob, 'here')
    const gone = w.post(bob)
    w.delete(gone)
    const collection = 'app.bsky.feed.post'
    const rkey = (uri: string) => uri.split('/').at(-1)!
    const { body } = await ask(rkey(post.uri), { collection })
    expect(body).toMatchObject({ uri: post.uri, cid: post.cid, value: { text: 'here' } })
    const { body: refusal } = await ask(rkey(gone.uri), { collection })
    expect(refusal['error']).toBe('RecordNotFound')
    expect(requested).toEqual([])
  })

  test('that it lacks is the PDS’s, with and without `cid`', async () => {
    const { asked: requested, ask } = withPds((honest) => ({ ...honest, further: 1 }))
    const value = { $type: 'a.b.c', text: 'honest' }
    const record = { uri: `at://${bob}/a.b.c/x`, cid: cidOfRecord(value), value }
    expect((await ask('x')).body).toEqual(record)
    expect((await ask('x', { cid: record.cid })).body).toEqual(record)
    expect(requested[0]).toMatch(/^https:\/\/pds\.example\/xrpc\/com\.atproto\.repo\.getRecord\?/)
  })

  test('that the PDS answers is charged as a connection and its length', async () => {
    const filler = 'x'.repeat(1 << 20)
    let usedMs = 0
    const onMemberTime = (_: string, ms: number) => {
      usedMs += ms
    }
    const { w } = withPds((honest) => ({ ...honest, filler }), { onMemberTime })
    await w.get(NSID, { repo: 'bob.test', collection: 'a.b.c', rkey: 'd' }, alice)
    expect(usedMs).toBeGreaterThan(3)
  })

  test('that no one has is RecordNotFound; an account that no one knows is refused', async () => {
    const { w, ask } = withPds(() => undefined)
    expect((await ask('none')).body['error']).toBe('RecordNotFound')
    const query = { repo: 'no.test', collection: 'a.b.c', rkey: 'x' }
    expect((await w.ask(NSID, query)).status).toBe(400)
  })

  test('of another address, or with another CID than the requested one, is RecordNotFound', async () => {
    const { ask } = withPds((honest) => ({ ...honest, uri: 'at://did:plc:x/a.b.c/d' }))
    expect((await ask('x')).body['error']).toBe('RecordNotFound')
    world!.dispose()
    const other = withPds((honest) => honest)
    const cid = cidOfRecord({ text: 'another' })
    expect((await other.ask('x', { cid })).body['error']).toBe('RecordNotFound')
  })

  test.each<[string, (honest: Answer) => object]>([
    ['other contents', (honest) => ({ ...honest, value: { ...honest.value, text: 'a lie' } })],
    ['a further field', (honest) => ({ ...honest, value: { ...honest.value, x: null } })],
    ['another CID', (honest) => ({ ...honest, cid: cidOfRecord({ text: 'another' }) })],
    ['no form in CBOR', (honest) => ({ ...honest, value: { ...honest.value, x: 0.5 } })],
  ])('whose CID does not fit is refused: %s', async (_, lie) => {
    const { ask } = withPds(lie)
    const named = await ask('x', { cid: cidOfRecord({ $type: 'a.b.c', text: 'honest' }) })
    expect(named.status).not.toBe(200)
    const { status, body } = await ask('x')
    expect([status, body['error'], body['value']]).toEqual([502, 'UpstreamFailure', undefined])
  })
})

test('a PDS that lies about Discover’s record is not repeated: ours is answered', async () => {
  const { w } = withPds((honest) => ({ ...honest, value: { did: 'did:web:elsewhere.example' } }))
  const { status, body } = await w.ask<{ value: object }>(NSID, DISCOVER, alice)
  expect([status, body.value]).toMatchObject([200, { did: 'did:web:discover.bsky.app' }])
})

test('it answers UpstreamFailure while the PDS is away', async () => {
  const query = { repo: bob, collection: 'a.b.c', rkey: 'x' }
  const { status, body } = await start().ask(NSID, query)
  expect([status, body['error']]).toEqual([503, 'UpstreamFailure'])
})
