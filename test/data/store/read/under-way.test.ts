// Whether a requested fetch is still in progress, according to the job rows.

import { afterEach, expect, test } from 'vitest'
import { putBackfill } from '../../../../src/data/store/fetching/backfills.ts'
import { createUnderWay } from '../../../../src/data/store/read/under-way.ts'
import { didOf } from '../../../support/records.ts'
import { createWorld, type World } from '../../../support/world.ts'

const [alice, bob] = ['alice', 'bob'].map(didOf) as [string, string]

let world: World | undefined
afterEach(() => world?.dispose())

function start() {
  const w = createWorld({ members: ['alice'] })
  world = w
  const underWay = createUnderWay({ db: w.reader, actors: w.memory.actors })
  const ask = (uris: string[], dids: string[] = []) =>
    w.request({ kind: 'fetch-requested', id: 1, did: alice, uris, dids })
  const set = (sql: string) => w.db.exec(sql)
  return { w, underWay, ask, set }
}

test.each([
  ['app.bsky.feed.post', 'post'],
  ['app.bsky.graph.list', 'list'],
  ['app.bsky.feed.generator', 'record'],
  ['app.bsky.graph.starterpack', 'record'],
])('a %s is under way until its job is over, or failed once', (collection, kind) => {
  const { underWay, ask, set } = start()
  const key = { did: bob, collection, rkey: '3kaaaaaaaaaaa' }
  expect(underWay.records([key])).toBe(false)
  ask([`at://${bob}/${collection}/${key.rkey}`])
  set("DELETE FROM jobs WHERE kind IN ('identity', 'profile')")
  expect(underWay.records([key])).toBe(true)
  expect(underWay.records([{ ...key, rkey: '3kbbbbbbbbbbb' }])).toBe(false)
  set(`UPDATE jobs SET attempts = 1 WHERE kind = '${kind}'`)
  expect(underWay.records([key])).toBe(false)
  set(`UPDATE jobs SET attempts = 0 WHERE kind = '${kind}'`)
  expect(underWay.records([key])).toBe(true)
  set(`DELETE FROM jobs WHERE kind = '${kind}'`)
  expect(underWay.records([key])).toBe(false)
})

test('many records are looked for in as many statements as one', () => {
  const { w, ask, set } = start()
  let executed = 0
  const counting = new Proxy(w.reader, {
    get(db, name) {
      if (name !== 'prepare') return Reflect.get(db, name)
      return (sql: string) => {
        const statement = db.prepare<unknown[], unknown>(sql).pluck()
        const get = (...values: unknown[]) => {
          executed++
          return statement.get(...values)
        }
        return { pluck: () => ({ get }) }
      }
    },
  })
  const underWay = createUnderWay({ db: counting, actors: w.memory.actors })
  const collection = 'app.bsky.feed.post'
  const keys = Array.from({ length: 30 }, (_, i) => {
    return { did: didOf(`author ${i}`), collection, rkey: '3kaaaaaaaaaaa' }
  })
  const uris = keys.map(({ did, rkey }) => `at://${did}/${collection}/${rkey}`)
  ask(uris)
  set('DELETE FROM jobs')
  expect(underWay.records(keys)).toBe(false)
  const forAll = executed
  executed = 0
  expect(underWay.records(keys.slice(0, 1))).toBe(false)
  expect(executed).toBeGreaterThan(0)
  expect(forAll).toBe(executed)
  ask(uris.slice(29))
  expect(underWay.records(keys)).toBe(true)
  expect(underWay.areUnfetched(keys)).toBe(true)
  expect(underWay.areUnfetched(keys.slice(0, 29))).toBe(false)
})

test('an account is under way while its name or its profile is', () => {
  const { w, underWay, ask, set } = start()
  ask([], [bob])
  const uid = w.uid(bob)
  for (const kind of ['identity', 'profile']) {
    expect(underWay.accounts([uid])).toBe(true)
    set(`DELETE FROM jobs WHERE kind = '${kind}' AND subject = ${uid}`)
  }
  expect(underWay.accounts([uid, 0])).toBe(false)
  expect(underWay.accounts([])).toBe(false)
})

test('accounts never looked up, or never read, are distinguished from others', () => {
  const { w, underWay } = start()
  w.follow(alice, bob)
  const uid = w.uid(bob)
  expect([underWay.neverLookedUp([uid]), underWay.neverRead([uid])]).toEqual([[uid], [uid]])
  w.handle(bob, 'bob.test')
  putBackfill(w.db, uid, 'records', { rev: null, finished_at: w.now() })
  expect([underWay.neverLookedUp([uid]), underWay.neverRead([uid])]).toEqual([[], []])
  w.identity(bob)
  // Its name is known, and shown until a newer one is found.
  expect(underWay.neverLookedUp([uid])).toEqual([])
})

test('no name is looked up for a deactivated account', () => {
  const { w, underWay } = start()
  w.follow(alice, bob)
  w.status(bob, 'deactivated')
  expect(underWay.neverLookedUp([w.uid(bob)])).toEqual([])
})
