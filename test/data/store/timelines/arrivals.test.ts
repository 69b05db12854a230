// Numbers of arrival after random histories: one for each post and repost that is present, in order, never
// given again.

import { afterEach, expect, test } from 'vitest'
import { type PostRow, prunePost } from '../../../../src/data/store/posts/posts.ts'
import { createRandom } from '../../../support/random.ts'
import { testSeed } from '../../../support/seed.ts'
import { createWorld, type RecordId, type World } from '../../../support/world.ts'

let world: World
afterEach(() => world.dispose())

const PRESENT = `SELECT id * 2 FROM posts WHERE state = 1 UNION ALL SELECT id * 2 + 1 FROM reposts`

function numbered(): Map<number, number> {
  const rows = world.db.prepare<[], [number, number]>('SELECT item, seq FROM arrivals').raw()
  return new Map(rows.all())
}

function present(): number[] {
  return world.db.prepare<[], number>(PRESENT).pluck().all()
}

const ascending = (numbers: Iterable<number>) => [...numbers].sort((a, b) => a - b)

test('each item has one number while it is present, and no number is given again', () => {
  const random = createRandom(testSeed('arrivals'))
  world = createWorld({ scope: 'network' })
  const accounts = ['ann', 'ben', 'cat'].map((name) => world.account(name))
  const records: RecordId[] = []
  let before = numbered()
  let last = 0
  for (let i = 0; i < 400; i++) {
    const who = random.pick(accounts)
    const dice = random.below(10)
    const some = records.length > 0 ? random.pick(records) : undefined
    if (dice < 4 || !some) records.push(world.post(who, `post ${i}`))
    else if (dice < 6) records.push(world.repost(who, some))
    else if (dice < 9) world.delete(some)
    else pruneOne(random.below(3))
    const now = numbered()
    expect(ascending(now.keys())).toEqual(ascending(present()))
    for (const [item, seq] of now) {
      if (before.has(item)) expect(seq).toBe(before.get(item))
      else expect(seq).toBeGreaterThan(last)
    }
    last = Math.max(last, ...now.values())
    before = now
  }
})

function pruneOne(skipped: number): void {
  const row = world.db
    .prepare<[number], PostRow>('SELECT id, uid FROM posts WHERE state = 1 LIMIT 1 OFFSET ?')
    .get(skipped)
  if (row) world.run(({ db }) => prunePost(db, row))
}
