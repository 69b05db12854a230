// What a frontend names and no event has brought here: it is fetched while the call waits, rather than taken for deleted.
// And a handle whose servers do not answer is not nobody's.

import { Code, createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { afterEach, describe, expect, test } from 'vitest'
import { Service } from '../../../src/features/dataplane/generated/bsky-pb.ts'
import { didOf } from '../../support/records.ts'
import { type StrangersWorld, startStrangersWorld, write } from '../../support/strangers-world.ts'
import { type DataplaneWorld, startDataplaneOver } from './dataplane-world.ts'

let world: StrangersWorld
let dataplane: DataplaneWorld
afterEach(async () => {
  await dataplane.close()
  await world.stop()
})

async function start() {
  world = await startStrangersWorld({ scope: 'network', namesMaxWaitMs: 1_500 })
  const { db, hydrator, actors, graph } = world.w.app
  const isSilent = (handle: string) => handle.endsWith('.silent.example')
  const rows = { db, hydrator, written: { actors, graph } } as never
  dataplane = await startDataplaneOver(rows, { arrivals: world.w.app, isSilent })
  return createClient(Service, createGrpcTransport({ baseUrl: dataplane.url }))
}

describe('what no event has brought is fetched', () => {
  test('an account, with its profile', async () => {
    const calls = await start()
    const eve = await world.person('eve')
    const { actors } = await calls.getActors({ dids: [eve.did, didOf('nobody')] })
    expect(actors.map(({ exists }) => exists)).toEqual([true, false])
    expect(Buffer.from(actors[0]!.profile!.record).toString()).toContain('eve')
  })

  test('the name of an account that only a follow names', async () => {
    const calls = await start()
    const eve = await world.person('eve')
    world.w.create(didOf('bob'), 'app.bsky.graph.follow', { subject: eve.did })
    const { actors } = await calls.getActors({ dids: [eve.did] })
    expect(actors.map(({ exists, handle }) => [exists, handle])).toEqual([
      [true, 'eve.example.com'],
    ])
  })

  test('a post, by itself and as a thread', async () => {
    const calls = await start()
    const [eve, mallory] = [await world.person('eve'), await world.person('mallory')]
    const [first, other] = [eve, mallory].map((by) =>
      write(by, 'app.bsky.feed.post', { text: 'old' }),
    )
    const { records } = await calls.getPostRecords({ uris: [first!.uri] })
    expect(records.map(({ cid }) => cid)).toEqual([first!.cid])
    const { uris } = await calls.getThread({ postUri: other!.uri, above: 5, below: 5 })
    expect(uris).toEqual([other!.uri])
  })

  test.each([
    [
      'app.bsky.graph.list',
      'getListRecords',
      { name: 'people', purpose: 'app.bsky.graph.defs#curatelist' },
    ],
    [
      'app.bsky.feed.generator',
      'getFeedGeneratorRecords',
      { did: 'did:web:x.example', displayName: 'x' },
    ],
  ] as const)('a record of %s', async (collection, name, record) => {
    const calls = await start()
    const eve = await world.person('eve')
    const { uri, cid } = write(eve, collection, record)
    const { records } = await calls[name]({ uris: [uri] })
    expect(records.map((found) => found.cid)).toEqual([cid])
  })

  test('a call about many slices of posts', async () => {
    const calls = await start()
    const eve = await world.person('eve')
    const posts = Array.from({ length: 130 }, (_, i) =>
      write(eve, 'app.bsky.feed.post', { text: `old ${i}` }),
    )
    const here = Array.from({ length: 400 }, (_, i) => world.w.post(didOf('bob'), `here ${i}`))
    const uris = [...here, ...posts].map(({ uri }) => uri)
    await calls.getPostRecords({ uris })
    await expect
      .poll(async () => (await calls.getPostRecords({ uris })).records.filter(({ cid }) => !cid))
      .toEqual([])
  })

  test('once: what does not exist is not waited for again', async () => {
    const calls = await start()
    const eve = await world.person('eve')
    let requests = 0
    world.pds.onRequest(() => void requests++)
    const uris = [`at://${eve.did}/app.bsky.feed.post/3jzfcijpj2z2a`]
    expect((await calls.getPostRecords({ uris })).records[0]!.cid).toBe('')
    const once = requests
    for (let i = 0; i < 3; i++) await calls.getPostRecords({ uris })
    expect(requests).toBe(once)
  })
})

test('a handle whose servers do not answer is unavailable alone, and left out among others', async () => {
  const calls = await start()
  const ask = (handles: string[]) => calls.getDidsByHandles({ handles, lookupUnidirectional: true })
  await expect(ask(['eve.silent.example'])).rejects.toMatchObject({ code: Code.Unavailable })
  expect((await ask(['eve.silent.example', 'nobody.example'])).dids).toEqual(['', ''])
  expect((await ask(['nobody.example'])).dids).toEqual([''])
})
