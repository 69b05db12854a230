// Body and `atproto-repo-rev` describe the same moment, whatever the writer does meanwhile.

import { Worker } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import { createReader } from '../../../src/answers/hydrate/reader.ts'
import { XRPCError } from '../../../src/base/atproto/xrpc-error.ts'
import { InvalidationWriter } from '../../../src/data/shared-memory/invalidation-ring.ts'
import type { MethodResult } from '../../../src/http/server/method.ts'
import type { Call } from '../../../src/http/xrpc/call.ts'
import { query } from '../../../src/http/xrpc/define.ts'
import { createPublishedRev } from '../../../src/http/xrpc/repo-rev.ts'
import { upToDate } from '../../../src/http/xrpc/waiting/up-to-date.ts'

const VIEWER = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'

function callBy(viewer: { did: string; uid: number } | undefined): Call {
  const call = { viewer, params: {}, reader: createReader(viewer), again: () => call }
  return call as unknown as Call
}

const call = callBy({ did: VIEWER, uid: 7 })
const visit = callBy(undefined)

/** An index of one account, whose posts and rev a test changes as the writer would. */
function world() {
  const invalidations = new InvalidationWriter()
  const index = { rev: 'r1' as string | undefined, posts: ['p1'] }
  const app = {
    publishedRev: createPublishedRev({
      accounts: { revOf: () => index.rev },
      actors: { uidOf: (did: string) => (did === VIEWER ? 7 : 0) },
      invalidations: invalidations.buffer,
    }),
    fetchRequests: { ask: async () => {}, wasSent: () => true },
    missingWaits: {
      fresh: () => ({ uris: [], dids: [] }),
      awaited: async () => false,
      areUnfetched: () => false,
    },
    unknownThings: { among: () => [], absentAmong: () => new Set<string>() },
    nameWaits: { unnamed: () => [], awaited: async () => false },
  }
  const commit = (changed: Partial<typeof index>) => {
    invalidations.beginCommit()
    Object.assign(index, changed)
    invalidations.endCommit()
  }
  const serve = (handler: () => MethodResult | Promise<MethodResult>) => {
    const options = { auth: 'required', readAfterWrite: true } as const
    return upToDate(app, query('app.bsky.feed.getTimeline', options, handler), handler)
  }
  return { invalidations, index, commit, serve }
}

describe('an answer that a PDS adds to', () => {
  test('has the rev of its content', async () => {
    const { index, serve } = world()
    const answered = await serve(() => ({ body: index.posts }))(call)
    expect(answered).toEqual({ body: ['p1'], headers: { 'atproto-repo-rev': 'r1' } })
  })

  test('is rebuilt if a commit follows the read of its body', async () => {
    const { commit, index, serve } = world()
    const answer = serve(() => {
      const body = [...index.posts]
      commit({ rev: 'r2', posts: ['p2', 'p1'] })
      return { body }
    })
    const { body, headers } = await answer(call)
    expect([body, headers]).toEqual([['p2', 'p1'], { 'atproto-repo-rev': 'r2' }])
  })

  test('is rebuilt likewise with an asynchronous handler', async () => {
    const { commit, index, serve } = world()
    const answer = serve(async () => {
      const body = [...index.posts]
      await new Promise((resolve) => setTimeout(resolve, 1))
      commit({ rev: 'r2', posts: ['p2', 'p1'] })
      return { body }
    })
    const { body, headers } = await answer(call)
    expect([body, headers]).toEqual([['p2', 'p1'], { 'atproto-repo-rev': 'r2' }])
  })

  test('of a viewer who keeps writing has the older rev, so none of their posts are lost', async () => {
    const { commit, serve } = world()
    let commits = 1
    const answer = serve(() => {
      commit({ rev: `r${++commits}` })
      return { body: commits }
    })
    const { body, headers } = await answer(call)
    expect(headers?.['atproto-repo-rev']).toBe(`r${(body as number) - 1}`)
    expect(body).toBeLessThan(10)
  })

  test('reads no row again until a commit begins, and every time while one is open', async () => {
    const { invalidations, index, serve } = world()
    const answer = serve(() => ({ body: 1 }))
    await answer(call)
    index.rev = 'r2'
    expect((await answer(call)).headers).toEqual({ 'atproto-repo-rev': 'r1' })
    invalidations.beginCommit()
    expect((await answer(call)).headers).toEqual({ 'atproto-repo-rev': 'r2' })
    index.rev = 'r3'
    expect((await answer(call)).headers).toEqual({ 'atproto-repo-rev': 'r3' })
    invalidations.endCommit()
    expect((await answer(call)).headers).toEqual({ 'atproto-repo-rev': 'r3' })
  })

  test('of a viewer without a rev likewise reads no row again until a commit begins', async () => {
    const { commit, index, serve } = world()
    index.rev = undefined
    const answer = serve(() => ({ body: 1 }))
    expect((await answer(call)).headers).toBeUndefined()
    index.rev = 'r1'
    expect((await answer(call)).headers).toBeUndefined()
    commit({})
    expect((await answer(call)).headers).toEqual({ 'atproto-repo-rev': 'r1' })
  })

  test('waits for changes committed but not yet in memory', async () => {
    const { invalidations, commit, serve } = world()
    const shared = new Int32Array(new SharedArrayBuffer(4))
    invalidations.beginPublishing()
    commit({ rev: 'r2' })
    const worker = new Worker(SETTLES, {
      eval: true,
      workerData: { invalidations: invalidations.buffer, shared },
    })
    await new Promise((resolve) => worker.once('online', resolve))
    const answered = await serve(() => ({ body: Atomics.load(shared, 0) }))(call)
    await worker.terminate()
    expect(answered.body).toBe(1)
  })

  test('waits only a moment, then sends the older rev', async () => {
    const { invalidations, commit, index, serve } = world()
    const answer = serve(() => ({ body: index.posts }))
    await answer(call)
    invalidations.beginPublishing()
    commit({ rev: 'r2' })
    expect((await answer(call)).headers).toEqual({ 'atproto-repo-rev': 'r1' })
    invalidations.endPublishing()
    expect((await answer(call)).headers).toEqual({ 'atproto-repo-rev': 'r2' })
  })

  test('has the rev on errors too: the PDS may know the post', async () => {
    const { serve } = world()
    const answer = serve(() => {
      throw new XRPCError(400, 'NotFound', 'Post not found')
    })
    expect(() => answer(call)).toThrowError(
      expect.objectContaining({ error: 'NotFound', headers: { 'atproto-repo-rev': 'r1' } }),
    )
  })

  test('has no rev for a viewer without applied writes, or without a viewer', async () => {
    const { commit, serve } = world()
    const answer = serve(() => ({ body: 1, headers: { other: 'x' } }))
    commit({ rev: undefined })
    expect((await answer(call)).headers).toEqual({ other: 'x' })
    commit({ rev: 'r9' })
    expect((await answer(visit)).headers).toEqual({ other: 'x' })
  })
})

/** What the writer does a moment after its commit: update memory first, then publish. */
const SETTLES = `
  const { invalidations, shared } = require('node:worker_threads').workerData
  const ints = new Int32Array(invalidations)
  setTimeout(() => {
    Atomics.store(shared, 0, 1)
    Atomics.add(ints, 2, 1)
    Atomics.notify(ints, 2)
  }, 8)
`
