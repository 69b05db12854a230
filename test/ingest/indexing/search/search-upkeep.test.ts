import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, test } from 'vitest'
import { createPostSearch } from '../../../../src/answers/skeleton/search/posts.ts'
import { type Db, FILE_NAME, openWriter, type WriteDb } from '../../../../src/data/store/db.ts'
import * as initial from '../../../../src/data/store/migrations/001-025/001-initial.ts'
import { prepareActorSearch } from '../../../../src/data/store/read/accounts/actor-search.ts'
import { giveUpPostIndex, rebuildPostIndex } from '../../../../src/data/store/search/give-up.ts'
import { indexedPosts } from '../../../../src/data/store/search/post-index.ts'
import { matchOf, parsePostQuery } from '../../../../src/data/store/search/post-query.ts'
import { refreshActorIndex } from '../../../../src/ingest/indexing/search/search-actors.ts'
import { tendSearch } from '../../../../src/ingest/indexing/search/search-upkeep.ts'
import { createRandom } from '../../../support/random.ts'
import { didOf } from '../../../support/records.ts'
import { STRETCH_POSTS, searchable } from '../../../support/searching.ts'
import { createWorld, type RecordId, type World } from '../../../support/world.ts'
import { writerOf } from '../../../support/writer-of.ts'

const SEED = Number(process.env['SEED'] ?? 2_711)
const ALL = { maxPosts: 1_000_000 }

let dispose: (() => void) | undefined
afterEach(() => dispose?.())

function start(): World {
  const world = createWorld({ scope: 'network' })
  dispose = world.dispose
  return world
}

/** posts.id of the matches, newest first, to the last page: a slow machine reads less for one. */
function found(db: Db, q: string): number[] {
  const match = matchOf(parsePostQuery(q), { groups: [], none: [] })!
  const times = { since: -Infinity, until: Infinity }
  const search = createPostSearch(db)
  const all: number[] = []
  for (let cursor: string | undefined; ; ) {
    const page = search.page({ match, ...times, sort: 'latest', limit: 2_000, cursor })
    all.push(...page.items)
    if (page.cursor === undefined) return all
    cursor = page.cursor
  }
}

const integrityOf = (db: WriteDb) =>
  ['actor_words', 'actor_parts', 'post_words'].map((name) =>
    db.exec(`INSERT INTO ${name} (${name}) VALUES ('integrity-check')`),
  )

const queued = (db: Db) => db.prepare<[], number>('SELECT count(*) FROM search_queue').pluck().get()

/** A database as the first version left it. */
function oldDatabase(posts: number): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-search-'))
  dispose = () => rmSync(dataDir, { recursive: true, force: true })
  const db = new Database(join(dataDir, FILE_NAME))
  db.exec(initial.sql)
  const record = (fields: object) => Buffer.from(JSON.stringify(fields))
  const insertActor = db.prepare(
    'INSERT INTO actors (uid, did, handle, handle_valid, indexed_at) VALUES (?, ?, ?, 1, 0)',
  )
  const insertPost = db.prepare(
    'INSERT INTO posts (id, uid, rkey, state, cid, record, created_at, indexed_at, sort_at) VALUES (?, 1, ?, ?, ?, ?, 0, 0, ?)',
  )
  db.exec('BEGIN')
  for (let i = 1; i <= posts; i++) {
    insertActor.run(i, didOf(`old ${i}`), `old-${i}.test`)
    const isStub = i % 10 === 0
    const [cid, bytes] = isStub
      ? [null, null]
      : [Buffer.alloc(32, i), record({ text: `old number ${i}` })]
    // Ids and times are in different orders.
    insertPost.run(
      i,
      `key${i}`,
      isStub ? 0 : 1,
      cid,
      bytes,
      isStub ? null : ((i * 7919) % posts) * 5_000,
    )
  }
  db.exec('COMMIT')
  db.pragma('user_version = 1')
  db.close()
  return dataDir
}

describe('older rows', () => {
  test('are indexed slice by slice, interrupted or not, each once', () => {
    const dataDir = oldDatabase(1_000)
    let isLeft = true
    let slices = 0
    while (isLeft) {
      const db = openWriter(dataDir)
      isLeft = tendSearch({ writer: writerOf(db), posts: ALL }, () => true)
      slices++
      db.close()
    }
    expect(slices).toBeGreaterThan(10)
    const db = openWriter(dataDir)
    expect(indexedPosts(db)).toBe(900)
    const ids = found(db, 'number')
    expect(ids.length).toBe(900)
    expect(ids).toEqual([...ids].sort((a, b) => ((b * 7919) % 1_000) - ((a * 7919) % 1_000)))
    expect(found(db, '"old number 7"')).toEqual([7])
    expect(prepareActorSearch(db).byWords(['old', '100'], 0, 100)).toHaveLength(2)
    integrityOf(db)
    db.close()
  })

  test('that change meanwhile are indexed in their new state', () => {
    const dataDir = oldDatabase(120)
    const db = openWriter(dataDir)
    tendSearch({ writer: writerOf(db), posts: ALL }, () => true)
    db.prepare('UPDATE posts SET record = \'{"text":"new"}\' WHERE id IN (3, 119)').run()
    db.prepare('INSERT INTO search_queue VALUES (2, 3, 0), (2, 119, 0)').run()
    tendSearch({ writer: writerOf(db), posts: ALL }, () => false)
    expect(found(db, 'new').sort()).toEqual([119, 3])
    expect(found(db, '"number 3"')).toEqual([])
    expect(indexedPosts(db)).toBe(108)
    integrityOf(db)
    db.close()
  })
})

describe('stretches of time', () => {
  const stretches = (db: Db) =>
    db.prepare<[], { first: number; id: number; posts: number; moved_from: number | null }>(
      'SELECT first, id, posts, moved_from FROM post_stretches ORDER BY first',
    )
  /** Posts in the index by stretch. */
  const sizes = (db: Db) =>
    stretches(db)
      .all()
      .map(({ first }, i, all) =>
        db
          .prepare<[number, number], number>(
            'SELECT count(*) FROM post_words_docsize WHERE id >= CAST(? AS INTEGER) << 31 AND id < CAST(? AS INTEGER) << 31',
          )
          .pluck()
          .get(first, all[i + 1]?.first ?? 2 ** 31 - 1),
      )

  test('hold few posts each, and while posts move between them, each is found once', () => {
    const dataDir = oldDatabase(3_000)
    const db = openWriter(dataDir)
    const posts = { ...ALL, stretchPosts: 400 }
    let moving = 0
    while (tendSearch({ writer: writerOf(db), posts }, () => true)) {
      const ids = found(db, 'number').sort((a, b) => a - b)
      expect(new Set(ids).size).toBe(ids.length)
      expect(ids.length).toBe(indexedPosts(db))
      expect(Math.max(...sizes(db).map(Number))).toBeLessThanOrEqual(3 * 400)
      if (
        stretches(db)
          .all()
          .some((item) => item.moved_from !== null)
      )
        moving++
    }
    expect(moving).toBeGreaterThan(3)
    expect(indexedPosts(db)).toBe(2_700)
    expect(Math.max(...sizes(db).map(Number))).toBeLessThan(2 * 400)
    expect(found(db, '"old number 7"')).toEqual([7])
    integrityOf(db)
    db.close()
  })

  test('grow at the ends without moving a post', () => {
    const world = start()
    const day = (i: number) => new Date(Date.UTC(2026, 0, 1) + i * 86_400_000).toISOString()
    const days = Array.from({ length: 100 }, (_, i) => (i % 2 ? 500 + i : 500 - i))
    for (const at of days) {
      world.post(didOf('ann'), { text: `word day${at}`, createdAt: day(at - 500) })
      searchable(world)
      expect(
        stretches(world.db)
          .all()
          .every((item) => item.moved_from === null),
      ).toBe(true)
    }
    expect(sizes(world.db).length).toBeGreaterThan(8)
    expect(found(world.reader, 'word')).toHaveLength(100)
    for (const at of days) expect(found(world.reader, `day${at}`)).toHaveLength(1)
    integrityOf(world.db)
  })

  test('take a limited number of posts of one second; others are found all the same', () => {
    const world = start()
    const createdAt = '2026-03-01T00:00:00.000Z'
    for (let i = 0; i < 8 * STRETCH_POSTS; i++) {
      world.post(didOf('ann'), { text: 'same', createdAt })
      if (i % 5 === 0) searchable(world)
    }
    world.post(didOf('ann'), { text: 'same but later', createdAt: '2026-03-02T00:00:00.000Z' })
    world.post(didOf('ann'), { text: 'same but sooner', createdAt: '2026-02-02T00:00:00.000Z' })
    searchable(world)
    expect(indexedPosts(world.db)).toBeGreaterThanOrEqual(4 * STRETCH_POSTS)
    expect(indexedPosts(world.db)).toBeLessThan(6 * STRETCH_POSTS)
    expect(found(world.reader, '"same but"')).toHaveLength(2)
    integrityOf(world.db)
  })

  test('begin anew when the index was given up', () => {
    const world = start()
    for (let i = 0; i < 5 * STRETCH_POSTS; i++) {
      world.post(didOf('ann'), 'word')
      searchable(world)
    }
    expect(stretches(world.db).all().length).toBeGreaterThan(2)
    giveUpPostIndex(world.db)
    expect(stretches(world.db).all()).toEqual([{ first: 0, id: 1, posts: 0, moved_from: null }])
    expect(found(world.reader, 'word')).toEqual([])
    rebuildPostIndex(world.db)
    searchable(world)
    expect(found(world.reader, 'word')).toHaveLength(5 * STRETCH_POSTS)
    integrityOf(world.db)
  })
})

describe('changes', () => {
  test('are indexed after the next turn, which empties the queue', () => {
    const world = start()
    const post = world.post(didOf('ann'), 'first')
    world.profile(didOf('ann'), { displayName: 'Ann' })
    expect(queued(world.db)).toBe(2)
    searchable(world)
    expect(queued(world.db)).toBe(0)
    expect(found(world.reader, 'first')).toHaveLength(1)
    world.delete(post)
    expect(found(world.reader, 'first')).toEqual([])
    searchable(world)
    expect(indexedPosts(world.db)).toBe(0)
    integrityOf(world.db)
  })

  test('of one kind do not wait for the other, however many there are of it', () => {
    const world = start()
    for (let i = 0; i < 400; i++) world.profile(didOf(`one ${i}`), { displayName: 'Somebody' })
    world.post(didOf('ann'), 'first')
    tendSearch({ writer: world.writer, posts: ALL }, () => true)
    expect(queued(world.db)).toBeGreaterThan(0)
    expect(found(world.reader, 'first')).toHaveLength(1)
  })

  test('survive a restart before their turn', () => {
    const world = start()
    world.post(didOf('ann'), 'first')
    world.restart()
    searchable(world)
    expect(found(world.reader, 'first')).toHaveLength(1)
  })

  test('that were rolled back are not indexed', () => {
    const world = start()
    const events = world.hold(() => world.post(didOf('ann'), 'first'))
    world.db.exec(
      "CREATE TEMP TRIGGER fail BEFORE UPDATE ON posts BEGIN SELECT raise(ABORT, 'no'); END",
    )
    expect(() => world.apply(events)).toThrow('no')
    world.db.exec('DROP TRIGGER fail')
    expect(queued(world.db)).toBe(0)
  })
})

describe('accounts without a name', () => {
  test('do not wait, however many followers they have, and are found once they have a name', () => {
    const world = start()
    for (let i = 0; i < 9; i++) world.follow(didOf(`fan ${i}`), didOf('ann'))
    expect(queued(world.db)).toBe(0)
    world.handle(didOf('ann'), 'ann.test')
    expect(queued(world.db)).toBe(1)
    searchable(world)
    expect(prepareActorSearch(world.reader).byWords(['ann'], 0, 10)).toHaveLength(1)
  })

  test(`keep the index equal to the rows, in any order of changes (seed ${SEED})`, () => {
    const world = start()
    const random = createRandom(SEED)
    const profiles: RecordId[] = []
    const acts = [
      (did: string) =>
        profiles.push(world.profile(did, random.pick([{}, { displayName: `Name ${did}` }]))),
      () => profiles.length > 0 && world.delete(random.pick(profiles)),
      (did: string) => world.uid(did) > 0 && world.handle(did, `h${random.below(6)}.test`),
      (did: string) => world.follow(didOf(`fan ${random.below(40)}`), did),
      (did: string) => world.follow(didOf(`fan ${random.below(40)}`), did),
    ]
    for (let i = 0; i < 600; i++) {
      random.pick(acts)(didOf(`one ${random.below(8)}`))
      if (random.chance(0.1)) searchable(world)
    }
    searchable(world)
    const indexed = () => world.db.prepare('SELECT * FROM search_actors ORDER BY uid').all()
    const before = indexed()
    expect(before.length).toBeGreaterThan(2)
    refreshActorIndex(
      world.db,
      world.db.prepare<[], number>('SELECT uid FROM actors').pluck().all(),
    )
    expect(indexed()).toEqual(before)
    integrityOf(world.db)
  })
})

describe('a limit on posts', () => {
  test('keeps the newest, whenever they arrive', () => {
    const world = start()
    const at = (day: number) => `2026-10-${String(day).padStart(2, '0')}T00:00:00.000Z`
    const days = [5, 9, 2, 7, 11, 3, 8]
    for (const day of days) {
      world.post(didOf('ann'), { text: `word day${day}`, createdAt: at(day) })
      searchable(world, 3)
    }
    expect(indexedPosts(world.db)).toBe(3)
    expect(found(world.reader, 'word')).toHaveLength(3)
    for (const day of [11, 9, 8]) expect(found(world.reader, `day${day}`), `${day}`).toHaveLength(1)
    integrityOf(world.db)
  })

  test('of zero indexes accounts only', () => {
    const world = start()
    world.post(didOf('ann'), 'word')
    world.profile(didOf('ann'), { displayName: 'Ann' })
    searchable(world, 0)
    expect(queued(world.db)).toBe(0)
    expect(found(world.reader, 'word')).toEqual([])
    expect(prepareActorSearch(world.reader).byWords(['ann'], 0, 10)).toHaveLength(1)
  })
})
