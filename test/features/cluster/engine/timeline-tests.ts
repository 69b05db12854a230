// Timelines that programs post to, on real servers that share a real engine: whichever server they post to or
// read from, and whichever is killed, each acknowledged post exists once, under the reported number.

import { afterAll, expect, test } from 'vitest'
import type { Engine } from '../../../../src/features/cluster/engine/connect.ts'
import { createTimelineLog } from '../../../../src/features/cluster/engine/timeline-log.ts'
import { createRandom } from '../../../support/random.ts'
import { testSeed } from '../../../support/seed.ts'
import {
  becomes,
  startTimelinesProcess,
  type TimelinesProcess,
} from '../../../support/timelines-process.ts'
import { startPosting } from '../../timelines/support/timelines-posting.ts'

type ClusterState = { connect: () => Promise<Engine>; address: () => string }

const SEED = testSeed('shared timelines')
const SCOPES = ['read:*', 'post:custom:*']

export function testTimelines({ connect, address }: ClusterState): { testWithoutEngine(): void } {
  const nodes: TimelinesProcess[] = []
  let token = ''
  afterAll(() => Promise.all(nodes.map((node) => node.close())))

  test('of several writers to one place in a log exactly one succeeds, and all read its entry', async () => {
    const logs = [await connect(), await connect()].map(createTimelineLog)
    const found: string[] = []
    for (let number = 1; number <= 20; number++) {
      const tries = Array.from({ length: 4 }, (_, i) =>
        logs[i % 2]!.put('log', number, `${number} ${i}`),
      )
      const done = await Promise.all(tries)
      expect(done.filter((value) => value)).toHaveLength(1)
      found.push(`${number} ${done.indexOf(true)}`)
    }
    for (const log of logs) {
      const { entries, isMore } = await log.after('log', 5)
      expect(entries.map(({ entry }) => entry)).toEqual(found.slice(5))
      expect([entries[0]!.number, isMore]).toEqual([6, false])
    }
    expect((await logs[0]!.after('log', 20)).entries).toEqual([])
  })

  test(`no acknowledged post is lost, duplicated or renumbered, whichever server receives it or is killed (seed ${SEED})`, async () => {
    const env = { ENGINE: address(), SERVE_THREADS: '1' }
    nodes.push(
      await startTimelinesProcess(['alice'], env),
      await startTimelinesProcess(['alice'], env),
    )
    await Promise.all(nodes.map((node) => node.start()))
    token = await nodes[0]!.token('everything', ...SCOPES)
    // Created on one server, and valid on all once they learn of it.
    await becomes(
      () => nodes[1]!.page('custom:busy', 'limit=1', token),
      ({ status }) => status !== 401,
    )
    const random = createRandom(SEED)
    // Repeats each at any server.
    const posting = startPosting((id) => {
      const body = note(id)
      return () => random.pick(nodes).post('busy', body, token)
    })
    await posting.until(60)
    await nodes[0]!.kill()
    await posting.until(120)
    await nodes[0]!.start()
    await posting.end()
    const { acknowledged } = posting
    for (const [i, node] of nodes.entries()) {
      const found = await readAll([node, nodes[1 - i]!], token)
      expect(Object.fromEntries(found)).toEqual(Object.fromEntries(acknowledged))
      expect([...found.values()]).toEqual(
        Array.from({ length: found.size }, (_, n) => String(n + 1)),
      )
    }
  })

  test('a stream on one server delivers posts made on the other', async () => {
    const [first, second] = nodes
    await first!.post('news', note('one'), token)
    const stream = second!.listen('custom:news', token, '?since=0')
    await stream.until(() => stream.events.length === 1)
    await first!.post('news', note('two'), token)
    await stream.until(() => stream.events.length === 2)
    stream.close()
    expect(stream.events.map(({ sequence_id }) => sequence_id)).toEqual(['1', '2'])
    const numbered = { ...note('three'), producer_seq: 1 }
    expect((await first!.post('news', numbered, token)).body.error).toBe('NotShared')
  })

  return {
    testWithoutEngine() {
      test('without the engine, servers serve the timelines they have, say so, and refuse posts', async () => {
        const [node] = nodes
        const read = () => node!.page('custom:busy', 'limit=1', token)
        const { headers, body } = await becomes(read, (asked) =>
          asked.headers.has('slipstream-behind'),
        )
        expect(headers.get('slipstream-behind')).toBe('engine')
        expect(body.events).toHaveLength(1)
        const posted = await node!.post('busy', note('refused'), token)
        expect([posted.status, posted.body.error]).toEqual([503, 'EngineUnavailable'])
        expect(posted.headers.get('retry-after')).toBe('1')
        const metrics = async () => (await fetch(`${node!.origin()}/metrics`)).text()
        await becomes(metrics, (text) => /^slipstream_engine_fallbacks_total [1-9]/m.test(text))
      })
    },
  }
}

function note(id: string): Record<string, unknown> {
  const producer_ts = '2026-11-22T14:00:00.000Z'
  return { entity_id: id, entity_type: 'note', payload: { id }, producer_ts, idempotency_key: id }
}

/** Reads page by page, each from a different server than the last. */
async function readAll(
  nodes: readonly TimelinesProcess[],
  token: string,
): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  let query = 'direction=forward&limit=50'
  for (let page = 0; ; page++) {
    const read = () => nodes[page % nodes.length]!.page('custom:busy', query, token)
    // On a busy machine the engine may be too slow for a page.
    const { body } = await becomes(read, (asked) => !asked.headers.has('slipstream-behind'))
    if (body.events.length === 0) return found
    for (const { entity_id, sequence_id } of body.events) {
      expect(found.has(entity_id)).toBe(false)
      found.set(entity_id, sequence_id)
    }
    query = `limit=50&cursor=${body.next_cursor}`
  }
}
