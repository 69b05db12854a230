// The draw of what a lossy timeline keeps, for who has no more of an item than its id: the key of its row is
// looked up. Only lossy timelines draw.

import type { PackedRkey } from '../../../base/atproto/keys.ts'
import type { ActorReader } from '../../graph/types.ts'
import { type Draw, hashDraw, itemHash } from '../../timeline/lossiness.ts'
import { isRepostItem, rowIdOf } from '../item-ids.ts'
import type { Db } from './id-list.ts'

type Key = [uid: number, rkey: PackedRkey]

export function prepareItemDraw(db: Db, actors: Pick<ActorReader, 'hashOf'>): Draw {
  const post = db.prepare<[number], Key>('SELECT uid, rkey FROM posts WHERE id = ?').raw()
  const repost = db.prepare<[number], Key>('SELECT uid, rkey FROM reposts WHERE id = ?').raw()
  return (item, follower) => {
    const isRepost = isRepostItem(item)
    const key = (isRepost ? repost : post).get(rowIdOf(item))
    // What is gone is shown to nobody.
    if (!key) return 0
    return hashDraw(itemHash(actors.hashOf(key[0]), key[1], isRepost), actors.hashOf(follower))
  }
}
