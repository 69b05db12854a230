// The draw that decides which items a lossy timeline keeps, for callers that have only an item's id: looks up
// the key of its row. Only lossy timelines draw. A row's id is never reused and its key never changes, so the
// latest hashes are cached: 0.8 MB per thread.

import type { PackedRkey } from '../../../../base/atproto/keys.ts'
import { type Draw, hashDraw, itemHash } from '../../../graph/lossiness.ts'
import type { ActorReader } from '../../../graph/types.ts'
import { isRepostItem, rowIdOf } from '../../timelines/item-ids.ts'
import type { Db } from '../id-list.ts'

type Key = [uid: number, rkey: PackedRkey]

const REMEMBERED = 1 << 16

export function prepareItemDraw(db: Db, actors: Pick<ActorReader, 'hashOf'>): Draw {
  const post = db.prepare<[number], Key>('SELECT uid, rkey FROM posts WHERE id = ?').raw()
  const repost = db.prepare<[number], Key>('SELECT uid, rkey FROM reposts WHERE id = ?').raw()
  const items = new Float64Array(REMEMBERED)
  const hashes = new Int32Array(REMEMBERED)
  return (item, follower) => {
    const slot = item % REMEMBERED
    if (items[slot] !== item) {
      const isRepost = isRepostItem(item)
      const key = (isRepost ? repost : post).get(rowIdOf(item))
      // A deleted item is shown to no follower.
      if (!key) return 0
      items[slot] = item
      hashes[slot] = itemHash(actors.hashOf(key[0]), key[1], isRepost)
    }
    return hashDraw(hashes[slot]!, actors.hashOf(follower))
  }
}
