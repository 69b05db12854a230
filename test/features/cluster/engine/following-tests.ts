// Members' timelines on a real engine: only entries committed by an epoch's one writer count, even with
// other, late and repeated writes, and all nodes read the same.

import { expect, test } from 'vitest'
import type { Engine } from '../../../../src/features/cluster/engine/connect.ts'
import {
  createFollowingEpochs,
  type FollowingEpochs,
} from '../../../../src/features/cluster/engine/following-epochs.ts'
import {
  createFollowingLog,
  type FollowingLog,
  type LoggedEntry,
} from '../../../../src/features/cluster/engine/following-log.ts'
import { createRandom, type Random } from '../../../support/random.ts'
import { didOf } from '../../../support/records.ts'
import { testSeed } from '../../../support/seed.ts'
import type { CassandraCluster } from '../support/cassandra-cluster.ts'
import { startFaultyCluster } from '../support/cluster-faults/cluster.ts'
import { nothingFailed } from '../support/cluster-faults/report.ts'
import { runFaults } from '../support/cluster-faults/run.ts'

type LoggedItem = Omit<LoggedEntry, 'number'>

type ClusterState = { connect: () => Promise<Engine> }
type Client = { log: FollowingLog; epochs: FollowingEpochs }

const SEED = testSeed('members’ timelines on the engine')
const MEMBER = didOf('reader')
/** Buckets that no server has. */
const [BUCKET, FIRST, SECOND] = [1_007, 1_001, 1_002]

export function testFollowing({ connect }: ClusterState): void {
  async function client(): Promise<Client> {
    const engine = await connect()
    return { log: createFollowingLog(engine), epochs: createFollowingEpochs(engine) }
  }

  test('a writer whose epoch is over commits nothing, and can’t take the bucket back', async () => {
    const [first, second] = [await client(), await client()]
    expect(await first.epochs.begin(new Map([[FIRST, 4]]))).toEqual(
      new Map([[FIRST, { position: undefined }]]),
    )
    const flush = { bucket: FIRST, epoch: 4, flush: 1, position: 100 }
    expect(await first.epochs.commit([flush])).toBe(true)
    expect(await first.epochs.begin(new Map([[FIRST, 4]]))).toEqual(
      new Map([[FIRST, { position: 100 }]]),
    )
    expect(await second.epochs.begin(new Map([[FIRST, 5]]))).toEqual(
      new Map([[FIRST, { position: 100 }]]),
    )
    const late = { ...flush, flush: 2, position: 200 }
    const other = { bucket: SECOND, epoch: 9, flush: 1, position: undefined }
    await first.epochs.begin(new Map([[SECOND, 9]]))
    expect(await first.epochs.commit([other, late])).toBe(false)
    expect(await first.epochs.begin(new Map([[FIRST, 4]]))).toEqual(new Map())
    expect(await first.epochs.current([FIRST, SECOND])).toEqual(
      new Map([
        [FIRST, 5],
        [SECOND, 9],
      ]),
    )
    expect(await second.epochs.committed(FIRST)).toEqual(new Map([[4, 1]]))
    expect(await second.epochs.committed(SECOND)).toEqual(new Map())
  })

  test(`reads match a plain model, even with late writes by earlier writers (seed ${SEED})`, async () => {
    const random = createRandom(SEED)
    const clients = [await client(), await client()]
    const world = createWriters(random, clients)
    for (let step = 0; step < 24; step++) {
      await random.pick([world.takeOver, world.write, world.write, world.writeLate])()
      await expectSame(random, random.pick(clients), world.model)
    }
  })
}

type Writer = Client & { epoch: number; flush: number; tip: number }

/** One writer has the bucket; earlier ones continue as if they still had it. */
function createWriters(random: Random, clients: readonly Client[]) {
  const model: LoggedItem[] = []
  const writers: Writer[] = []
  let made = 0

  const some = () =>
    Array.from({ length: made === 0 ? 1_000 : 1 + random.below(40) }, () => {
      return { uri: `at://${MEMBER}/app.bsky.feed.post/${++made}`, at: made }
    })

  /** @returns whether it was committed */
  async function flush(writer: Writer): Promise<boolean> {
    const { log, epochs, epoch } = writer
    const items = some()
    const number = writer.tip + 1
    const write = { member: MEMBER, epoch, flush: writer.flush + 1, number, items }
    for (let again = random.below(2); again >= 0; again--) await log.put(write)
    // The writer is killed, or paused for longer than its lease.
    if (random.chance(0.3)) return false
    const done = { bucket: BUCKET, epoch, flush: writer.flush + 1, position: made }
    const counts = await epochs.commit([done])
    expect(counts).toBe(writer === writers.at(-1))
    if (!counts) return false
    writer.flush++
    writer.tip += items.length
    model.push(...items)
    return true
  }

  async function takeOver(): Promise<void> {
    const epoch = (writers.at(-1)?.epoch ?? 0) + 1 + random.below(2)
    const client = random.pick(clients)
    await client.epochs.begin(new Map([[BUCKET, epoch]]))
    const committed = await client.epochs.committed(BUCKET)
    const range = { member: MEMBER, at: Number.MAX_SAFE_INTEGER, isForward: false, limit: 1 }
    const { entries } = await client.log.read(range, committed)
    const tip = entries[0]?.number ?? 0
    expect(tip).toBe(model.length)
    writers.push({ ...client, epoch, flush: 0, tip })
  }

  return {
    model,
    takeOver,
    async write() {
      if (writers.length === 0) await takeOver()
      // A writer that failed to commit writes nothing more in the same epoch.
      if (!(await flush(writers.at(-1)!))) await takeOver()
    },
    async writeLate() {
      const late = writers[random.below(writers.length)]
      if (late && late !== writers.at(-1)) await flush(late)
    },
  }
}

async function expectSame(random: Random, client: Client, model: readonly LoggedItem[]) {
  const isForward = random.chance(0.5)
  const limit = 1 + random.below(60)
  const at = random.below(model.length + 2)
  const committed = await client.epochs.committed(BUCKET)
  const found = await client.log.read({ member: MEMBER, at, isForward, limit }, committed)
  const all = model.map((item, i) => ({ ...item, number: i + 1 }))
  const beyond = all.filter(({ number }) => (isForward ? number > at : number < at))
  const expected = isForward ? beyond.slice(0, limit) : beyond.toReversed().slice(0, limit)
  expect(found.entries).toEqual(expected)
  if (found.isEnd) expect(expected.length).toBe(beyond.length)
  if (expected.length < limit) expect(found.isEnd).toBe(true)
}

const FAULTS_SEED = testSeed('servers that fail')

type FaultyCluster = ClusterState & { cassandra: () => CassandraCluster; address: () => string }

/** Two kinds that run in the available time; `npm run faults` has all of them, and many seeds. */
export function testFaults({ connect, cassandra, address }: FaultyCluster): void {
  test(`clients behind a balancer do not notice servers being killed or paused (seed ${FAULTS_SEED})`, async () => {
    const cluster = await startFaultyCluster(cassandra(), await connect(), address())
    try {
      const random = createRandom(FAULTS_SEED)
      const report = await runFaults(cluster, { random, kinds: ['kill', 'freeze'] })
      console.info(report)
      expect(report.failed).toEqual(nothingFailed())
      expect(report.posts.acknowledged).toBeGreaterThan(0)
      expect(report.changes.acknowledged).toBeGreaterThan(0)
    } finally {
      await cluster.close()
    }
  })
}
