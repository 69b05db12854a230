// Home timelines on three real servers that share a real engine: each member's page is the same on all of
// them and matches a plain model, while posts are created and deleted, accounts are followed and blocked, and
// a server is killed. Each server holds in memory only its own members' timelines.

import { afterAll, expect, test } from 'vitest'
import { bucketOf } from '../../../../src/features/cluster/engine/buckets.ts'
import type { Engine } from '../../../../src/features/cluster/engine/connect.ts'
import { createLeaseTable } from '../../../../src/features/cluster/engine/lease-table.ts'
import { type ModelItem, newestFirst } from '../../../support/feed-model.ts'
import { type PdsDouble, startPdsDouble } from '../../../support/pds-double.ts'
import { createRandom, type Random } from '../../../support/random.ts'
import { testSeed } from '../../../support/seed.ts'
import { signServiceJwt } from '../../../support/service-jwt.ts'
import type { Commit } from '../../../support/simulated-network/repository.ts'
import { startTimelinesProcess, type TimelinesProcess } from '../../../support/timelines-process.ts'

type ClusterState = { connect: () => Promise<Engine>; address: () => string }
type Item = ModelItem & { uri: string; cid: string; author: string; shows: string; by: string }
type Feed = { feed: { post: { uri: string }; reason?: { by: { did: string } } }[] }

const SEED = testSeed('home timelines on the engine')
const READERS = Array.from({ length: 12 }, (_, i) => `reader${i}`)
/** Members that ask only one server. */
const LATE = ['late0', 'late1', 'late2', 'late3']
const AUTHORS = ['erin', 'frank', 'grace', 'heidi']
const LIMIT = 20
const NSID = 'app.bsky.feed.getTimeline'
const USED = 'engine_homes_total{outcome="used"}'

export function testHomes({ connect, address }: ClusterState): { testWithoutEngine(): void } {
  const nodes: TimelinesProcess[] = []
  let network: ReturnType<typeof createNetwork>
  let pds: PdsDouble | undefined
  afterAll(async () => {
    for (const node of nodes.toReversed()) await node.close()
    await pds?.close()
  })

  test(`a home timeline is the same on every server, but in memory on only one (seed ${SEED})`, async () => {
    const random = createRandom(SEED)
    const env = { ENGINE: address(), SERVE_THREADS: '1' }
    const everybody = [...READERS, ...LATE, ...AUTHORS]
    pds = await startPdsDouble()
    nodes.push(await startTimelinesProcess(everybody, env, { pds }))
    for (let i = 0; i < 2; i++) nodes.push(await startTimelinesProcess(everybody, env, nodes[0]))
    await Promise.all(nodes.map((node) => node.start()))
    network = createNetwork(nodes[0]!, pds, random)
    const table = createLeaseTable(await connect())
    const live = () => table.leases()
    network.begin()
    await expectSamePages(network, nodes)
    await expectShared(live, nodes)
    for (let round = 0; round < 3; round++) {
      network.acts(8)
      await expectSamePages(network, nodes)
    }
    const killed = random.pick(nodes)
    const left = nodes.filter((node) => node !== killed)
    await killed.kill()
    for (let round = 0; round < 3; round++) {
      network.acts(8)
      await expectSamePages(network, left)
    }
    await expectShared(live, left)
    // A server that has just started knows other servers' members only from their logs.
    await expect
      .poll(async () => {
        network.acts(8)
        await expectSamePages(network, left)
        await killed.start()
        // It asks for a returning member.
        for (let i = 0; i < 2; i++) await expectSamePages(network, nodes)
        const used = await figure(killed, USED)
        if (used === 0) await killed.kill()
        return used
      })
      .toBeGreaterThan(0)
    await expectShared(live, nodes)
    await nodes.at(-1)!.stop()
  })

  return {
    testWithoutEngine() {
      test('without the engine, another server’s member gets their page from rows, marked as such', async () => {
        const [first, second] = nodes
        network.acts(4)
        // Each member belongs to one of two servers and is unknown to the other.
        const requested = LATE.flatMap((name) => [first!, second!].map((node) => ({ name, node })))
        let notified = 0
        for (const { name, node } of requested) {
          const read = async () => {
            const { feed, isBehind } = await pageOf(node, name)
            notified += Number(isBehind)
            return feed
          }
          await expect.poll(read).toEqual(network.pageOf(name))
        }
        expect(notified).toBeGreaterThan(0)
        await expect.poll(() => figure(first!, 'engine_fallbacks_total')).toBeGreaterThan(0)
      })
    },
  }
}

type Network = ReturnType<typeof createNetwork>
type Ties = Map<string, { did: string; collection: string; rkey: string }>

/** Acts on the stream that all servers read, and the pages that must result. */
function createNetwork(node: TimelinesProcess, pds: PdsDouble, random: Random) {
  const items: Item[] = []
  const ties: Ties = new Map()
  const { create, remove, lastAt } = createWrites(node, pds)
  const didOf = node.didOf

  function add(name: string, made: { uri: string; cid: string; sortAt: number }, of?: Item): void {
    const by = didOf(name)
    const shows = of?.uri ?? made.uri
    const key = of ? `${by} ${shows}` : shows
    items.push({ ...made, key, originator: by, by, shows, author: of?.author ?? by })
  }
  const post = (name: string, at?: number) =>
    add(name, create(name, 'app.bsky.feed.post', { text: `post ${items.length}` }, at))
  function turn(name: string, collection: string, of: string, at?: number): void {
    const key = `${didOf(name)} ${collection} ${didOf(of)}`
    const known = ties.get(key)
    if (known) {
      remove(known.did, collection, known.rkey)
      ties.delete(key)
      return
    }
    const { rkey } = create(name, collection, { subject: didOf(of) }, at)
    ties.set(key, { did: didOf(name), collection, rkey })
  }
  function repost(name: string): void {
    const posts = items.filter(({ key, uri }) => key === uri)
    const of = random.pick(posts)
    if (items.some(({ key }) => key === `${didOf(name)} ${of.uri}`)) return
    const subject = { uri: of.uri, cid: of.cid }
    add(name, create(name, 'app.bsky.feed.repost', { subject }), of)
  }
  function dropOne(): void {
    const [gone] = items.splice(random.below(items.length), 1)
    const [, , did, collection, rkey] = gone!.uri.split('/')
    remove(did!, collection!, rkey!)
  }
  const kinds: (() => void)[] = [
    ...Array<() => void>(8).fill(() => post(random.pick(AUTHORS))),
    () => post(random.pick(READERS)),
    () => repost(random.pick(AUTHORS)),
    dropOne,
    () => turn(random.pick(READERS), 'app.bsky.graph.follow', random.pick(AUTHORS)),
    () => turn(random.pick(READERS), 'app.bsky.graph.block', random.pick(AUTHORS)),
  ]

  return {
    begin(): void {
      for (const name of [...READERS, ...LATE]) {
        for (const of of AUTHORS) {
          if (random.chance(0.7)) turn(name, 'app.bsky.graph.follow', of, lastAt() + 1)
        }
      }
      for (let i = 0; i < 40; i++) post(random.pick(AUTHORS), lastAt() + 1 + random.below(20_000))
    },
    acts(count: number): void {
      for (let i = 0; i < count; i++) random.pick(kinds)()
    },
    pageOf: (name: string) => modelPage(didOf(name), items, ties),
  }
}

/** Writes records and sends them on the stream. */
function createWrites({ didOf, double }: TimelinesProcess, pds: PdsDouble) {
  let last = Date.now() - 3_600_000

  /** Unique times, none later than the stream's, because later ones do not count. */
  const timeOf = (at = Date.now() - 500) => Math.max(last + 1, at)

  return {
    lastAt: () => last,
    create(name: string, collection: string, fields: object, at?: number) {
      last = timeOf(at)
      const value = { createdAt: new Date(last).toISOString(), ...fields }
      const commit = pds.account(didOf(name))!.put({ collection, value, atMs: last })
      double.emit(commit)
      const { rkey, cid } = commit as Commit & { cid: string }
      return { uri: `at://${didOf(name)}/${collection}/${rkey}`, cid, rkey, sortAt: last }
    },
    remove(did: string, collection: string, rkey: string): void {
      last = timeOf()
      double.emit(pds.account(did)!.remove(collection, rkey, last)!)
    },
  }
}

function modelPage(me: string, items: readonly Item[], ties: Ties): string[] {
  const has = (what: string, did: string) => ties.has(`${me} app.bsky.graph.${what} ${did}`)
  const there = new Set(items.map(({ uri }) => uri))
  const isVisible = ({ by, author, shows }: Item) =>
    (by === me || has('follow', by)) &&
    there.has(shows) &&
    !has('block', by) &&
    !has('block', author)
  const visible = items.filter(isVisible).sort(newestFirst)
  return visible.slice(0, LIMIT).map(({ key }) => key)
}

async function pageOf(
  node: TimelinesProcess,
  name: string,
): Promise<{ feed: string[]; isBehind: boolean }> {
  const { did, keypair } = node.accountOf(name)
  const token = await signServiceJwt(keypair, { iss: did, aud: 'did:web:localhost', lxm: NSID })
  const answer = await node.ask<Feed>('GET', `/xrpc/${NSID}?limit=${LIMIT}`, { token })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  const feed = answer.body.feed.map(({ post, reason }) =>
    reason ? `${reason.by.did} ${post.uri}` : post.uri,
  )
  return { feed, isBehind: answer.headers.get('slipstream-behind') === 'engine' }
}

/** Waits until the stream has reached all of them. */
async function expectSamePages(network: Network, nodes: readonly TimelinesProcess[]) {
  for (const name of READERS) {
    const expected = network.pageOf(name)
    for (const node of nodes) {
      await expect.poll(async () => (await pageOf(node, name)).feed).toEqual(expected)
    }
  }
}

/** Each timeline is in memory once: on the server that has its bucket. */
async function expectShared(
  leases: () => Promise<{ bucket: number; node: string | undefined }[]>,
  nodes: readonly TimelinesProcess[],
): Promise<void> {
  const inMemory = () => Promise.all(nodes.map((node) => figure(node, 'timelines')))
  async function ownMembers(): Promise<number[]> {
    const holders = new Map((await leases()).map(({ bucket, node }) => [bucket, node]))
    return nodes.map((node) => {
      const name = `:${new URL(node.origin()).port}#`
      const isOwn = (value: string) => holders.get(bucketOf(node.didOf(value)))?.includes(name)
      return READERS.filter(isOwn).length
    })
  }
  await expect
    .poll(async () => {
      for (const name of READERS) for (const node of nodes) await pageOf(node, name)
      const [found, expected] = [await inMemory(), await ownMembers()]
      const sum = expected.reduce((all, value) => all + value, 0)
      return sum === READERS.length && found.join() === expected.join()
    })
    .toBe(true)
}

async function figure(node: TimelinesProcess, name: string): Promise<number> {
  const text = await (await fetch(`${node.origin()}/metrics`)).text()
  const line = text.split('\n').find((line) => line.startsWith(`slipstream_${name} `))
  return Number(line?.split(' ').at(-1) ?? 0)
}
