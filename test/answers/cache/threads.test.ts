// Two reading threads that present continuously while the writer writes: whenever it pauses, both match the
// rows. A view cached in the middle of a change would show up.

import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { MAX_WAIT_MS } from '../../support/patience.ts'
import { createRandom } from '../../support/random.ts'
import { randomHistory } from '../../support/random-history.ts'
import { rareActs } from '../../support/rare-acts.ts'
import { testSeed } from '../../support/seed.ts'
import { CONTROL, ORDER, type ReaderData } from '../../support/view-cache-reader-control.ts'
import { createWorld, type World } from '../../support/world.ts'

const MEMBERS = ['person-0', 'person-1']
const COMPARISONS = 12

function startReader(world: World) {
  const control = new SharedArrayBuffer(16)
  const positions = new Int32Array(control)
  const { actors, graph } = world.memory as unknown as {
    actors: { handle: ReaderData['actors'] }
    graph: { handle: ReaderData['graph'] }
  }
  const workerData: ReaderData = {
    dataDir: world.dataDir,
    actors: actors.handle,
    graph: graph.handle,
    invalidations: world.invalidations.buffer,
    control,
    viewers: MEMBERS.map((name) => world.account(name)),
  }
  const worker = new Worker(new URL('../../support/view-cache-reader.ts', import.meta.url), {
    workerData,
  })
  const ended = new Promise((resolve) => worker.once('exit', resolve))
  return {
    /** Blocks until the comparison is done. */
    compare(): void {
      const before = Atomics.load(positions, CONTROL.answers)
      Atomics.store(positions, CONTROL.order, ORDER.compare)
      const waited = Atomics.wait(positions, CONTROL.answers, before, MAX_WAIT_MS)
      expect(waited).not.toBe('timed-out')
    },
    differences: () => Atomics.load(positions, CONTROL.differences),
    presented: () => Atomics.load(positions, CONTROL.presented),
    async stop() {
      Atomics.store(positions, CONTROL.order, ORDER.stop)
      await ended
    },
  }
}

test('threads cache nothing from a half-seen change', async () => {
  const random = createRandom(testSeed('fragments in threads'))
  const world = createWorld({ scope: 'network', members: MEMBERS })
  const readers = [startReader(world), startReader(world)]
  // Threads only start once this one yields.
  await new Promise((resolve) => setTimeout(resolve, 100))
  const events = randomHistory(world, random, 600)
  for (let part = 0; part < COMPARISONS; part++) {
    const some = events.slice((part * 600) / COMPARISONS, ((part + 1) * 600) / COMPARISONS)
    for (let at = 0; at < some.length; at += 3) {
      world.apply(some.slice(at, at + 3))
      rareActs(world, random, 1)
    }
    for (const reader of readers) reader.compare()
  }
  for (const reader of readers) {
    expect(reader.differences()).toBe(0)
    expect(reader.presented()).toBeGreaterThan(COMPARISONS * MEMBERS.length)
    await reader.stop()
  }
  world.dispose()
})
