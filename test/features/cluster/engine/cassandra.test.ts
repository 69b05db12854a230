// The state that nodes share, on a real Cassandra cluster of three. All tests use one cluster and depend on
// their order, because the last ones kill its nodes.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aboutEngine } from '../../../../src/features/cluster/doctor/engine.ts'
import {
  connectEngine,
  type Engine,
  EngineUnavailableError,
} from '../../../../src/features/cluster/engine/connect.ts'
import { createCqlPrivateChanges } from '../../../../src/features/cluster/engine/cql-private-changes.ts'
import { engineNodes } from '../../../../src/features/cluster/engine/nodes.ts'
import type {
  NumberedChange,
  PrivateChanges,
} from '../../../../src/features/cluster/engine/private-changes.ts'
import {
  checkedCluster,
  engineSchemaVersion,
  migrateEngine,
} from '../../../../src/features/cluster/engine/schema.ts'
import { createRandom, type Random } from '../../../support/random.ts'
import { cidOf, didOf } from '../../../support/records.ts'
import { testSeed } from '../../../support/seed.ts'
import {
  type CassandraCluster,
  startCassandra,
  whyNoCassandra,
} from '../support/cassandra-cluster.ts'
import { createPlainPrivateChanges } from '../support/plain-private-changes.ts'
import { testCluster } from './cluster-tests.ts'
import { testFaults, testFollowing } from './following-tests.ts'
import { testHomes } from './home-tests.ts'
import { testLeases } from './lease-tests.ts'
import { testMoves } from './move-tests.ts'
import { testServers } from './server-tests.ts'
import { ALICE, type SharingNode, startNode } from './sharing-nodes.ts'
import { testTimelines } from './timeline-tests.ts'

/** A busy machine is slow, which is no failure. */
const PATIENCE_MS = 30_000
const KEYSPACE = 'slipstream_test'
const COPIES = { replication: 3, datacenter: 'datacenter1' }
const SEED = testSeed('engine')
const why = whyNoCassandra()
if (why) console.error(`NOT TESTED: what nodes share on an engine, since ${why}`)

let cluster: CassandraCluster
/** Connections to the first keyspace. */
const engines: Engine[] = []
const opened: Engine[] = []
const nodes: SharingNode[] = []
let members = 0

async function connect(keyspace = KEYSPACE): Promise<Engine> {
  const engine = cluster.address(keyspace)
  const settings = { engine, enginePasswordFile: undefined, engineCa: undefined }
  const connected = await connectEngine(settings, PATIENCE_MS)
  opened.push(connected)
  if (keyspace === KEYSPACE) engines.push(connected)
  return connected
}

/**
 * Servers hold buckets and know members and tokens, so each group of tests has its own keyspace.
 */
function ownClusterState(name: string) {
  const keyspace = `${KEYSPACE}_${name}`
  beforeAll(async () => void (await migrateEngine(await connect(keyspace), COPIES)))
  return {
    connect: () => connect(keyspace),
    address: () => cluster.address(keyspace),
    cassandra: () => cluster,
  }
}

// Each test continues from the state of the one before, so a retry would find it half done.
describe.skipIf(why)('on Cassandra', { retry: 0 }, () => {
  beforeAll(async () => {
    cluster = await startCassandra(3)
  })
  afterAll(async () => {
    for (const { world } of nodes) world.dispose()
    await Promise.all(opened.map((engine) => engine.close()))
    await cluster?.stop()
  })

  test('tables are created once, by the first node, and their keyspace keeps its identity', async () => {
    const [first, second] = [await connect(), await connect()]
    await expect(checkedCluster(first)).rejects.toThrow(/slipstream engine migrate/)
    const made = await migrateEngine(first, COPIES)
    expect(await migrateEngine(second, COPIES)).toEqual(made)
    expect(await checkedCluster(second)).toEqual({ id: made.id, base: 0 })
  })

  test('the doctor finds no problems', async () => {
    const nodes = await engineNodes(engines[0]!)
    const found = aboutEngine({ nodes, schema: engineSchemaVersion, copies: 3, unowned: 2 })
    expect(found.map(({ level }) => level)).not.toContain('wrong')
    const message = found.map(({ text }) => text).join()
    expect(message).toMatch(/3 of 3 nodes answer/)
    expect(message).toMatch(/holds 2 of the buckets/)
    expect(nodes.map(({ commitLogSync }) => commitLogSync)).toEqual(['batch', 'batch', 'batch'])
    const asItComes = nodes.map((node) => ({ ...node, commitLogSync: 'periodic' }))
    const [late] = aboutEngine({
      nodes: asItComes,
      schema: engineSchemaVersion,
      copies: 3,
      unowned: 0,
    })
    expect(late!.text).toMatch(/acknowledge writes before they are on disk/)
    expect(late!.fix).toMatch(/commitlog_sync: batch/)
  })

  testLeases({ connect, address: () => cluster.address(KEYSPACE) })

  test(`changes match a plain model, whichever client writes or reads (seed ${SEED})`, async () => {
    const clients = engines.slice(0, 2).map(patientChanges)
    const random = createRandom(SEED)
    const model = createPlainPrivateChanges()
    for (let step = 0; step < 150; step++) await compareStep(random, clients, model)
  })

  test('concurrent writers cause neither gaps nor losses', async () => {
    const clients = engines.slice(0, 2).map(patientChanges)
    const member = nextMember()
    const numbers = await Promise.all(
      Array.from({ length: 6 }, (_, i) => clients[i % 2]!.append(member, [change(`key ${i}`, i)])),
    )
    expect(numbers.sort((a, b) => a - b)).toEqual(numbers.map((_, i) => i + 1))
    const found = await clients[0]!.since(member, 0)
    expect(new Set(found.map(({ key }) => key)).size).toBe(6)
  })

  testCluster({ connect, address: () => cluster.address(KEYSPACE) })

  test(`a member’s action on one node is visible to the next request on the other (seed ${SEED})`, async () => {
    await startNodes()
    const random = createRandom(SEED)
    const post = nodes.map(({ world }) => world.post(didOf('bob')))[0]!
    for (let step = 0; step < 60; step++) {
      const [writing, reading] = random.chance(0.5) ? nodes : nodes.toReversed()
      await act(random, writing!, post)
      await reading!.world.get('app.bsky.notification.getPreferences', {}, ALICE)
      expect(reading!.state(ALICE)).toEqual(writing!.state(ALICE))
    }
  })

  test('a node’s earlier state is merged when it starts sharing, and no other node’s state is lost', async () => {
    const late = startNode(await sharedClusterState())
    nodes.push(late)
    const carol = didOf('carol')
    late.world.world.request({ id: 1, did: ALICE, kind: 'mute', subjectDid: carol })
    const before = nodes[0]!.state(ALICE) as { mutes: string[] }
    await late.world.get('app.bsky.graph.getMutes', {}, ALICE)
    await nodes[0]!.world.get('app.bsky.graph.getMutes', {}, ALICE)
    expect(nodes[0]!.state(ALICE)).toEqual(late.state(ALICE))
    const { mutes } = late.state(ALICE) as { mutes: string[] }
    expect(mutes).toEqual(
      [...new Set([...before.mutes, ...mutes.filter((mute) => mute.includes(carol))])].sort(),
    )
  })

  testFollowing({ connect })
  testServers(ownClusterState('servers'))
  testMoves(ownClusterState('moves'), ownClusterState('logs'))
  testFaults(ownClusterState('faults'))
  const homes = testHomes(ownClusterState('homes'))
  const timelines = testTimelines(ownClusterState('timelines'))

  test('killing an engine node loses no acknowledged write', async () => {
    const clients = engines.slice(0, 2).map(patientChanges)
    const acknowledged = await writeWhile(clients, () => {
      cluster.nodes[2]!.process.kill('SIGKILL')
    })
    expect(acknowledged.size).toBeGreaterThan(0)
    for (const [member, keys] of acknowledged) {
      const found = await clients[1]!.since(member, 0)
      expect(found.map(({ key }) => key)).toEqual(expect.arrayContaining([...keys]))
      expectGapless(found)
    }
  })

  test('with two of three nodes down, reads continue from rows and writes are refused with an error', async () => {
    const [node] = nodes
    const before = node!.state(ALICE)
    cluster.nodes[1]!.process.kill('SIGKILL')
    await expect.poll(() => writes(engines[0]!)).toBe(false)
    const read = await node!.world.ask('app.bsky.graph.getMutes', {}, ALICE)
    expect(read.status).toBe(200)
    const written = await node!.world.tell(
      'app.bsky.graph.muteActor',
      { actor: didOf('dan') },
      ALICE,
    )
    expect(written).toMatchObject({ status: 503, body: { error: 'EngineUnavailable' } })
    expect(node!.state(ALICE)).toEqual(before)
  })

  timelines.testWithoutEngine()
  homes.testWithoutEngine()
})

function patientChanges(engine: Engine): PrivateChanges {
  return createCqlPrivateChanges(engine, PATIENCE_MS)
}

function change(key: string, value: unknown) {
  return { key, change: JSON.stringify(value), madeAt: 1_790_000_000_000 }
}

function nextMember(): string {
  return didOf(`member ${++members}`)
}

async function compareStep(
  random: Random,
  clients: readonly PrivateChanges[],
  model: PrivateChanges,
): Promise<void> {
  const member = didOf(`random ${random.below(3)}`)
  const changes = Array.from({ length: 1 + random.below(3) }, (_, i) =>
    change(`key ${random.below(9)} ${i}`, random.next()),
  )
  const number = await model.append(member, changes)
  expect(await random.pick(clients).append(member, changes)).toBe(number)
  const after = random.below(number + 1)
  const reader = random.pick(clients)
  expect(await reader.since(member, after)).toEqual(await model.since(member, after))
  expect(await reader.version(member)).toBe(number)
}

async function sharedClusterState() {
  const engine = await connect()
  const { id } = await checkedCluster(engine)
  return { id, changes: async () => patientChanges(engine) }
}

async function startNodes(): Promise<void> {
  nodes.push(startNode(await sharedClusterState()), startNode(await sharedClusterState()))
}

/** Changes one kind of member state by a real request. */
async function act(random: Random, { world }: SharingNode, post: { uri: string }): Promise<void> {
  const actor = didOf(`person ${random.below(4)}`)
  const draft = { posts: [{ text: `draft ${random.below(99)}` }] }
  const acts: [string, object][] = [
    ['app.bsky.graph.muteActor', { actor }],
    ['app.bsky.graph.unmuteActor', { actor }],
    ['app.bsky.bookmark.createBookmark', { uri: post.uri, cid: cidOf(post.uri) }],
    ['app.bsky.bookmark.deleteBookmark', { uri: post.uri }],
    ['app.bsky.draft.createDraft', { draft }],
    ['app.bsky.graph.muteThread', { root: post.uri }],
    ['app.bsky.notification.putPreferences', { priority: random.chance(0.5) }],
    ['app.bsky.notification.updateSeen', { seenAt: new Date().toISOString() }],
  ]
  const [nsid, input] = random.pick(acts)
  const { status, body } = await world.tell(nsid, input, ALICE)
  expect(status, JSON.stringify(body)).toBe(200)
}

/** Members and their keys with acknowledged writes before, during and after the disruption. */
async function writeWhile(
  clients: readonly PrivateChanges[],
  happens: () => void,
): Promise<Map<string, Set<string>>> {
  const acknowledged = new Map<string, Set<string>>()
  const writers = Array.from({ length: 8 }, async (_, i) => {
    const member = nextMember()
    acknowledged.set(member, new Set())
    for (let n = 0; n < 60; n++) {
      if (i === 0 && n === 20) happens()
      const key = `key ${n}`
      await clients[i % 2]!.append(member, [change(key, n)]).then(
        () => acknowledged.get(member)!.add(key),
        (error) => expect(error).toBeInstanceOf(EngineUnavailableError),
      )
    }
  })
  await Promise.all(writers)
  return acknowledged
}

function expectGapless(found: readonly NumberedChange[]): void {
  expect(found.map(({ number }) => number)).toEqual(found.map((_, i) => i + 1))
}

async function writes(engine: Engine): Promise<boolean> {
  const done = createCqlPrivateChanges(engine).append(nextMember(), [change('a', 1)])
  return done.then(
    () => true,
    () => false,
  )
}
