// Timelines shared by several nodes, each with its own rows, on a log that works, is unreachable, slow, or
// silent about the outcome: in every case all nodes have the same posts under the same numbers.

import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { openReader, openWriter } from '../../../../src/data/store/db.ts'
import { createSharedTimelines } from '../../../../src/features/cluster/sharing/shared-timelines.ts'
import type {
  TimelineRequest,
  TimelineWriter,
} from '../../../../src/features/timelines/requests.ts'
import type {
  PostOutcome,
  PostPlan,
  TimelinePost,
} from '../../../../src/features/timelines/store/programs/timeline-posts.ts'
import { prepareCustomTimelines } from '../../../../src/features/timelines/store/read/custom-timelines.ts'
import { createTimelineRequests } from '../../../../src/features/timelines/writing/timeline-requests.ts'
import { createRandom } from '../../../support/random.ts'
import { testSeed } from '../../../support/seed.ts'
import { writerOf } from '../../../support/writer-of.ts'
import { createPlainTimelineLog } from '../support/plain-timeline-log.ts'

const SEED = testSeed('shared timelines')
const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

type Log = ReturnType<typeof createPlainTimelineLog>['log']

function startNode(timelines: Log, waitedForMs: number) {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-shared-'))
  const db = openWriter(folder)
  const reader = openReader(folder)
  const diskSpace = {
    attempt: <T>(work: () => T) => work(),
    ifThereIsSpace: (work: () => void) => work(),
  }
  const answer = createTimelineRequests({ db, writer: writerOf(db), diskSpace })
  async function write(request: TimelineRequest) {
    return structuredClone(answer(structuredClone(request)))
  }
  const ingest: Pick<TimelineWriter, 'writeTimelines' | 'planPosts'> = {
    writeTimelines: async (request) => (await write(request)) as PostOutcome[],
    planPosts: async (request) =>
      ((await write({ kind: 'plan-posts', ...request })) as PostPlan[])[0]!,
  }
  const log = { warn() {}, error: (...line: unknown[]) => console.error(...line) }
  const cluster = async () => ({ id: 'place', timelines })
  const shared = createSharedTimelines({ cluster, db: reader, ingest, log, waitedForMs })
  const custom = prepareCustomTimelines(reader)
  closing.push(() => {
    shared.close()
    reader.close()
    db.close()
  })
  return {
    shared,
    events(name: string) {
      const found = custom.find(name)
      const range = { at: 0, isForward: true, limit: 10_000 }
      return found ? custom.read(found.id, range) : []
    },
  }
}

function post(id: string, name = 'news'): TimelinePost {
  return {
    name,
    entityId: id,
    entityType: 'note',
    payload: JSON.stringify({ id }),
    producerTs: 1,
    key: Buffer.from(id),
    body: Buffer.from(id),
    numbered: undefined,
  }
}

test(`all nodes have the same posts under the same numbers, however the engine fails (seed ${SEED})`, async () => {
  const random = createRandom(SEED)
  const { log, state } = createPlainTimelineLog()
  const nodes = [0, 1, 2].map(() => startNode(log, 60_000))
  const acknowledged = new Map<string, number>()
  for (let step = 0; step < 80; step++) {
    state.mood = random.pick(['well', 'well', 'well', 'away', 'does and does not say so'])
    const ids = Array.from({ length: 1 + random.below(5) }, () => `e${random.below(120)}`)
    const posts = ids.map((id) => post(id, `t${id.length}`))
    const both = await Promise.all([
      random.pick(nodes).shared.post(posts),
      random.pick(nodes).shared.post(posts.slice(1)),
    ])
    for (const [i, outcome] of [...both[0], ...both[1]].entries()) {
      if (!outcome.ok) expect(outcome).toMatchObject({ status: 503, error: 'EngineUnavailable' })
      else {
        const id = [...ids, ...ids.slice(1)][i]!
        expect(acknowledged.get(id) ?? outcome.seq).toBe(outcome.seq)
        acknowledged.set(id, outcome.seq)
      }
    }
  }
  state.mood = 'well'
  for (const name of ['t2', 't3', 't4']) {
    for (const { shared } of nodes) await expect.poll(() => shared.upToDate([name])).toBe(true)
    const [first, ...others] = nodes.map((node) => node.events(name))
    for (const other of others) expect(other).toEqual(first)
    expect(first!.map(({ seq }) => seq)).toEqual(first!.map((_, i) => i + 1))
    expect(new Set(first!.map(({ entityId }) => entityId)).size).toBe(first!.length)
    for (const { entityId, seq } of first!) {
      expect(acknowledged.get(entityId) ?? seq).toBe(seq)
      acknowledged.delete(entityId)
    }
  }
  expect(acknowledged.size).toBe(0)
})

test('a slow or unreachable engine delays no reader, and each such answer is counted', async () => {
  const { log, state } = createPlainTimelineLog()
  const [writing, reading] = [startNode(log, 60_000), startNode(log, 20)]
  await writing!.shared.post([post('a')])
  await expect.poll(() => reading!.shared.upToDate(['news'])).toBe(true)
  const before = reading!.shared.fallbacks()
  await writing!.shared.post([post('b')])
  state.mood = 'silent'
  // The first is waited for; the next ones are answered without asking.
  for (let i = 0; i < 3; i++) expect(await reading!.shared.upToDate(['news'])).toBe(false)
  expect(reading!.shared.fallbacks()).toBe(before + 3)
  expect(reading!.events('news').map(({ entityId }) => entityId)).toEqual(['a'])
  state.mood = 'well'
  await expect.poll(() => reading!.shared.upToDate(['news'])).toBe(true)
  expect(reading!.events('news').map(({ entityId }) => entityId)).toEqual(['a', 'b'])
})

test('a listener on one node receives posts made on another', async () => {
  const { log } = createPlainTimelineLog()
  const [writing, reading] = [startNode(log, 60_000), startNode(log, 60_000)]
  const leave = reading!.shared.follow(['news'])
  await writing!.shared.post([post('a')])
  await expect.poll(() => reading!.events('news').length).toBe(1)
  leave()
})

test('cursors are signed alike on all nodes', async () => {
  const { log } = createPlainTimelineLog()
  const nodes = [startNode(log, 1_000), startNode(log, 1_000)]
  for (const { shared } of nodes) await shared.upToDate(['news'])
  expect(nodes[0]!.shared.cursorKeys()).toHaveLength(1)
  expect(nodes[1]!.shared.cursorKeys()).toEqual(nodes[0]!.shared.cursorKeys())
})
