// A reading thread with its own connection caches what it reads until an invalidation names it. It never
// answers with less than what was committed and published before the request.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { INVALIDATION } from '../../../src/data/shared-memory/invalidation-kinds.ts'
import {
  InvalidationWriter,
  MAX_INVALIDATIONS_AT_ONCE,
} from '../../../src/data/shared-memory/invalidation-ring.ts'
import { openWriter } from '../../../src/data/store/db.ts'
import { addPostCounts } from '../../../src/data/store/posts/post-counts.ts'
import {
  invalidationsOf,
  publishInvalidationsTo,
  transact,
} from '../../../src/data/store/transact.ts'
import { createRandom } from '../../support/random.ts'
import { readerIsDone } from '../../support/reading-thread.ts'

const SEED = Number(process.env['SEED'] ?? 48_112)
const POSTS = 40
/**
 * Layout of the shared integers: stop, the reader's answers, its losses, whether it sleeps, then
 * the committed likes of each post.
 */
const LOSSES = 2
const SLEEPS = 3
const LIKES = 4
/** Commits that together exceed the ring. */
const OVERRUNS = 10
const MIN_LOSSES = 5

const path = (name: string) =>
  JSON.stringify(new URL(`../../../src/${name}`, import.meta.url).pathname)
const READER = `
  import { parentPort, workerData } from 'node:worker_threads'
  import { INVALIDATION } from ${path('data/shared-memory/invalidation-kinds.ts')}
  import { InvalidationReader } from ${path('data/shared-memory/invalidation-ring.ts')}
  import { openReader } from ${path('data/store/db.ts')}
  const { dataDir, invalidations, shared, posts, first } = workerData
  const db = openReader(dataDir)
  const select = db.prepare('SELECT likes FROM post_counts WHERE post = ?').pluck()
  const reader = new InvalidationReader(invalidations)
  const kept = new Map()
  const nap = new Int32Array(new SharedArrayBuffer(4))
  const result = { answers: 0, hits: 0, losses: 0, stale: 0 }
  parentPort.postMessage('ready')
  while (Atomics.load(shared, 0) === 0) {
    const post = 1 + (result.answers % posts)
    const atLeast = Atomics.load(shared, first + post)
    const isWhole = reader.take((kind, a) => {
      if (kind === INVALIDATION.counts) kept.delete(a)
    })
    if (!isWhole) {
      kept.clear()
      Atomics.store(shared, ${LOSSES}, ++result.losses)
    }
    if (kept.has(post)) result.hits++
    else kept.set(post, select.get(post) ?? 0)
    if (kept.get(post) < atLeast) result.stale++
    result.answers++
    Atomics.store(shared, 1, result.answers)
    if (result.answers % 5000 !== 0) continue
    Atomics.store(shared, ${SLEEPS}, 1)
    Atomics.wait(nap, 0, 0, 10)
    Atomics.store(shared, ${SLEEPS}, 0)
  }
  db.close()
  parentPort.postMessage(result)
`

test(`a thread that caches rows until an invalidation names them never has stale ones (seed ${SEED})`, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-notes-'))
  const db = openWriter(dataDir)
  const writer = new InvalidationWriter()
  publishInvalidationsTo(db, writer)
  const shared = new Int32Array(new SharedArrayBuffer((LIKES + POSTS + 1) * 4))
  const workerData = { dataDir, invalidations: writer.buffer, shared, posts: POSTS, first: LIKES }
  const worker = new Worker(READER, { eval: true, workerData })
  const message = () =>
    new Promise<Record<string, number>>((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
    })
  try {
    await message()
    const done = message()
    const isDone = readerIsDone(shared, 20_000)
    const random = createRandom(SEED)
    const like = () => {
      const post = 1 + random.below(POSTS)
      addPostCounts(db, post, { likes: 1, reposts: 0, replies: 0, quotes: 0 })
      return post
    }
    const overrun = () => {
      for (let i = 0; i < MAX_INVALIDATIONS_AT_ONCE; i++) {
        invalidationsOf(db).add(INVALIDATION.relation, i, i)
      }
    }
    const sleepsUnharmed = () =>
      Atomics.load(shared, SLEEPS) === 1 && Atomics.load(shared, LOSSES) < MIN_LOSSES
    for (let round = 0; round < 2_000 || !isDone(); round++) {
      if (sleepsUnharmed()) for (let i = 0; i < OVERRUNS; i++) transact(db, overrun)
      const posts: number[] = []
      const write = () => {
        for (let i = 0; i <= random.below(4); i++) posts.push(like())
        if (random.chance(0.1)) throw new Error('the disk is full')
      }
      try {
        transact(db, write)
        for (const post of posts) Atomics.add(shared, LIKES + post, 1)
      } catch (error) {
        expect((error as Error).message).toBe('the disk is full')
      }
      if (round % 100 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    Atomics.store(shared, 0, 1)
    const { stale, hits, answers, losses } = await done
    expect(stale).toBe(0)
    // Otherwise the test proves nothing.
    expect(hits).toBeGreaterThan(answers! / 10)
    expect(losses).toBeGreaterThan(0)
  } finally {
    await worker.terminate()
    db.close()
    rmSync(dataDir, { recursive: true })
  }
})
