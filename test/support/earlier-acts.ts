// Seed counts as answered by a public AppView for the time before ours: larger than, equal to or smaller than
// our own.

import { putSeedActorCounts, putSeedPostCounts } from '../../src/data/store/counts/seed-counts.ts'
import { transact } from '../../src/data/store/transact.ts'
import type { Random } from './random.ts'
import type { World } from './world.ts'

export function tellSeedCounts(world: World, random: Random): void {
  const posts = world.db.prepare<[], number>('SELECT id FROM posts WHERE state = 1').pluck().all()
  const some = () => random.below(12)
  transact(world.db, () => {
    for (const post of posts.filter(() => random.chance(0.2))) {
      const theirs = { likes: some(), reposts: some(), replies: some(), quotes: some() }
      putSeedPostCounts(world.db, post, { theirs, askedAt: world.now() })
    }
    for (let uid = 1; uid <= world.actors.count; uid++) {
      const theirs = { follows: some(), followers: some(), posts: some() }
      if (random.chance(0.2)) putSeedActorCounts(world.db, uid, { theirs, askedAt: world.now() })
    }
  })
}
