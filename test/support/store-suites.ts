// The store's promises to readers and to the writer, as two suites that any implementation of `Db` and
// `WriteDb` can run.

import { expect, test } from 'vitest'
import { packRkey } from '../../src/base/atproto/keys.ts'
import type { Db, WriteDb } from '../../src/data/store/db.ts'
import { countActors, findActor, insertActor } from '../../src/data/store/records/actors.ts'
import { followedBy, insertFollow, isFollowing } from '../../src/data/store/records/follows.ts'
import { atOneMoment } from '../../src/data/store/transact.ts'

export type StoreUnderTest = {
  commit<T>(work: (db: WriteDb) => T): T
  /** A separate connection, as in a serving thread. */
  reader: Db
  /** The writer's own connection, as used by all readers in its thread. */
  own: Db
  /** Notices sent to readers since the last call, as text. */
  notified(): string[]
  close(): void
}

const did = (uid: number) => `did:plc:${String(uid).padStart(24, 'a')}`
const follow = (uid: number, subject: number) => {
  const at = Date.parse('2026-11-01')
  return { uid, subject, rkey: packRkey('3m4mcsw2ck22a'), createdAt: at, sortAt: at }
}

function inStore(open: () => StoreUnderTest, work: (store: StoreUnderTest) => void): () => void {
  return () => {
    const store = open()
    try {
      work(store)
    } finally {
      store.close()
    }
  }
}

function people(store: StoreUnderTest, count: number): void {
  store.commit((db) => {
    for (let uid = 1; uid <= count; uid++) insertActor(db, uid, did(uid), 0)
  })
}

/** The readers' side. */
export function readersSuite(open: () => StoreUnderTest): void {
  const storeTest = (name: string, work: (store: StoreUnderTest) => void) =>
    test(name, inStore(open, work))

  storeTest('a commit is visible at once to every reader', (store) => {
    people(store, 2)
    for (const db of [store.reader, store.own]) {
      expect(findActor(db, 2)?.did).toBe(did(2))
      expect(countActors(db)).toBe(2)
    }
  })

  storeTest('uncommitted changes are visible only to the writer', (store) => {
    people(store, 2)
    store.commit((db) => {
      insertFollow(db, follow(1, 2))
      expect(isFollowing(db, 1, 2)).toBe(true)
      expect(isFollowing(store.reader, 1, 2)).toBe(false)
    })
    expect(isFollowing(store.reader, 1, 2)).toBe(true)
  })

  storeTest('reads at one moment do not see later commits', (store) => {
    people(store, 1)
    const countTwice = atOneMoment(store.reader, () => {
      const before = countActors(store.reader)
      store.commit((db) => insertActor(db, 2, did(2), 0))
      return [before, countActors(store.reader)]
    })
    expect(countTwice()).toEqual([1, 1])
    expect(countActors(store.reader)).toBe(2)
  })

  storeTest(
    'only the writer’s connection can change anything, even past the type check',
    (store) => {
      people(store, 1)
      expect(() => insertActor(store.reader as WriteDb, 2, did(2), 0)).toThrow(/readonly/)
      expect(countActors(store.own)).toBe(1)
    },
  )
}

/** The writer's side. */
export function writersSuite(open: () => StoreUnderTest): void {
  const storeTest = (name: string, work: (store: StoreUnderTest) => void) =>
    test(name, inStore(open, work))

  storeTest('a commit returns what its work returns', (store) => {
    people(store, 3)
    expect(store.commit((db) => countActors(db))).toBe(3)
  })

  storeTest(
    'failed work changes nothing, notifies no reader and does not affect the next commit',
    (store) => {
      people(store, 3)
      store.notified()
      const fail = () =>
        store.commit((db) => {
          insertFollow(db, follow(1, 2))
          throw new Error('no')
        })
      expect(fail).toThrow('no')
      expect(followedBy(store.own, 1)).toEqual([])
      expect(store.notified().filter((value) => value !== 'everything')).toEqual([])
      store.commit((db) => insertFollow(db, follow(1, 3)))
      expect(followedBy(store.reader, 1)).toEqual([3])
    },
  )

  storeTest('readers are notified of a commit’s changes, once they are visible', (store) => {
    people(store, 3)
    store.notified()
    store.commit((db) => {
      insertFollow(db, follow(1, 2))
      expect(store.notified()).toEqual([])
    })
    expect(store.notified()).toEqual(['relation 1 2'])
  })

  storeTest('there is one commit at a time', (store) => {
    expect(() => store.commit(() => store.commit(() => undefined))).toThrow(
      /a commit within a commit/,
    )
    people(store, 1)
    expect(countActors(store.reader)).toBe(1)
  })
}
