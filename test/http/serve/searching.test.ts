import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Database from 'better-sqlite3'
import pino from 'pino'
import { afterEach, describe, expect, test } from 'vitest'
import { BadCursorError } from '../../../src/answers/skeleton/page-cursor.ts'
import { createSearches, type SearchCall } from '../../../src/answers/skeleton/search/searches.ts'
import type { XRPCError } from '../../../src/base/atproto/xrpc-error.ts'
import { FILE_NAME, openWriter } from '../../../src/data/store/db.ts'
import { matchOf, parsePostQuery } from '../../../src/data/store/search/post-query.ts'
import { createSearching } from '../../../src/http/serve/searching.ts'
import { MAX_WAIT_MS } from '../../support/patience.ts'
import { didOf } from '../../support/records.ts'
import { searchable } from '../../support/searching.ts'
import { createWorld, type World } from '../../support/world.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0).reverse()) close()
})

const member: SearchCall = { who: { rank: 'member', key: didOf('alice') } }
const visitor: SearchCall = { who: { rank: 'visitor', key: '192.0.2.1' } }

function open(dataDir: string, limits: { maxRunMs?: number; idleMs?: number } = {}) {
  const log = pino({ level: 'silent' })
  const options = { dataDir, cacheKib: 4_096, log, name: 'search-test' }
  const searching = createSearching({ ...options, ...limits })
  closing.push(() => searching.close())
  return searching
}

function freshFolder(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-searching-'))
  closing.push(() => rmSync(dataDir, { recursive: true, force: true }))
  return dataDir
}

function start(): World {
  const world = createWorld({ scope: 'network' })
  closing.push(world.dispose)
  return world
}

const posts = (q: string, cursor?: string) => {
  const times = { since: -Infinity, until: Infinity }
  const match = matchOf(parsePostQuery(q), { groups: [], none: [] })!
  return { match, ...times, sort: 'top' as const, limit: 5, cursor }
}
const actors = (q: string, follows: number[] = []) => {
  const viewer = { viewer: 1, follows: Uint32Array.from(follows), exact: 0 }
  return { q, ...viewer, limit: 5, cursor: undefined }
}

describe('on its own thread', () => {
  test('a search finds what it finds here, of every kind, with the same errors', async () => {
    const world = start()
    for (let i = 0; i < 30; i++) world.post(didOf(`one ${i % 3}`), `red number ${i}`)
    for (let i = 0; i < 9; i++) world.profile(didOf(`one ${i}`), { displayName: `Red ${i}` })
    searchable(world)
    const here = createSearches(world.reader)
    const there = open(world.dataDir)
    const authors = Uint32Array.of(world.uid(didOf('one 1')))
    const { cursor } = here.posts(posts('red'))
    const requested = [posts('red'), posts('red', cursor), posts('"red number" -3'), posts('blue')]
    for (const request of [...requested, { ...posts('red'), authors }]) {
      expect(await there.posts(request, member)).toEqual(here.posts(request))
      expect(await there.hits(request, member)).toEqual(here.hits(request))
    }
    expect(here.posts({ ...posts('red'), authors }).items).toHaveLength(5)
    for (const request of [actors('red'), actors('re', [world.uid(didOf('one 8'))])]) {
      expect((await there.actors(request, visitor)).items).toHaveLength(5)
      expect(await there.actors(request, visitor)).toEqual(here.actors(request))
    }
    const packs = { collection: 'app.bsky.graph.starterpack', query: 'a' } as const
    const page = { ...packs, limit: 5, cursor: undefined }
    expect(await there.records(page, visitor)).toEqual(here.records(page))
    await expect(there.posts(posts('red', 'bad'), visitor)).rejects.toThrow(BadCursorError)
    await expect(there.posts(posts('red', '1.0'), visitor)).resolves.toMatchObject({ items: [] })
  })

  test('each asker has a turn, members first, and few waiting', async () => {
    const world = start()
    world.post(didOf('ann'), 'red')
    searchable(world)
    const searching = open(world.dataDir)
    const order: string[] = []
    const ask = async (call: SearchCall, name: string) => {
      try {
        await searching.posts(posts('red'), call)
        order.push(name)
      } catch (error) {
        order.push(`${name} ${(error as XRPCError).status}`)
      }
    }
    const many = (count: number, call: SearchCall, name: string) =>
      Array.from({ length: count }, () => ask(call, name))
    const other: SearchCall = { who: { rank: 'visitor', key: '192.0.2.2' } }
    const bob: SearchCall = { who: { rank: 'member', key: didOf('bob') } }
    await Promise.all([
      ...[ask(visitor, 'first'), ...many(10, visitor, 'one'), ask(other, 'two')],
      ...[...many(3, member, 'alice'), ask(bob, 'bob')],
    ])
    const refused = ['one 429', 'one 429']
    const members = ['alice', 'bob', 'alice', 'alice']
    const visitors = ['one', 'two', ...Array.from({ length: 7 }, () => 'one')]
    expect(order).toEqual([...refused, 'first', ...members, ...visitors])
    const crowd = Array.from({ length: 80 }, (_, i) =>
      ask({ who: { rank: 'visitor', key: `198.51.100.${i}` } }, 'crowd'),
    )
    order.length = 0
    await Promise.all(crowd)
    expect(order.filter((name) => name === 'crowd 503')).toHaveLength(80 - 65)
    const ran = 1 + members.length + visitors.length + 65
    expect(searching.counts()).toMatchObject({ waiting: 0, ran, refused: 2 + 15, givenUp: 0 })
  })
})

test('a search is charged to its call, with an error too', async () => {
  const world = start()
  const searching = open(world.dataDir)
  const charged: number[] = []
  const call = { ...visitor, time: { addElsewhere: (ms: number) => charged.push(ms) } }
  // Some systems count processor time in steps of milliseconds.
  for (let i = 0; i < 200; i++) await searching.posts(posts('red'), call)
  expect(charged).toHaveLength(200)
  expect(charged.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(0)
  await expect(searching.posts(posts('red', 'bad'), call)).rejects.toThrow(BadCursorError)
  expect(charged).toHaveLength(201)
})

describe('a search thread that', () => {
  test('breaks is replaced', async () => {
    const dataDir = freshFolder()
    const searching = open(dataDir)
    await expect(searching.posts(posts('red'), member)).rejects.toMatchObject({ status: 503 })
    openWriter(dataDir).close()
    const found = await searching.posts(posts('red'), member)
    expect(found.items).toEqual([])
  })

  test('does not answer is replaced, while the thread that asked goes on', async () => {
    const dataDir = freshFolder()
    openWriter(dataDir).close()
    const blocking = new Database(join(dataDir, FILE_NAME))
    blocking.pragma('journal_mode = DELETE')
    blocking.exec('BEGIN EXCLUSIVE')
    const searching = open(dataDir, { maxRunMs: 1_000 })
    const stuck = searching.posts(posts('red'), member)
    await expect(stuck).rejects.toMatchObject({ status: 503 })
    blocking.exec('ROLLBACK')
    blocking.close()
    const hits = async () => {
      try {
        return await searching.hits(posts('red'), visitor)
      } catch (error) {
        return (error as XRPCError).status
      }
    }
    await expect.poll(hits, { timeout: MAX_WAIT_MS }).toBe(0)
  })

  test('ended because nobody searched is started again', async () => {
    const world = start()
    world.post(didOf('ann'), 'red')
    searchable(world)
    const searching = open(world.dataDir, { idleMs: 1 })
    for (let i = 0; i < 3; i++) {
      expect((await searching.posts(posts('red'), member)).items).toHaveLength(1)
      await pause(20)
    }
  })

  test('is closed answers no more', async () => {
    const world = start()
    const searching = open(world.dataDir)
    const running = searching.posts(posts('red'), member)
    const waiting = searching.posts(posts('red'), member)
    searching.close()
    await expect(waiting).rejects.toMatchObject({ status: 503 })
    await expect(searching.posts(posts('red'), member)).rejects.toMatchObject({ status: 503 })
    expect(await running).toMatchObject({ items: [] })
  })
})
