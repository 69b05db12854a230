// Why For You would show a post to an account, or not: for the operator's explore page. It chooses as a page does, but
// begins no session, and nothing counts as seen.

import { atOnce } from '../../base/util/turn.ts'
import type { CheckContext, PostCheck, PostChecks } from '../../http/operator/explored.ts'
import { openState } from './engine/layout.ts'
import { findPost } from './engine/posts.ts'
import { createScratch, recommend } from './engine/recommend.ts'
import { keyOfUri } from './post-keys.ts'
import { createReaderLikes } from './reader-likes.ts'
import { withReason } from './reasons.ts'
import { slotOf } from './voters.ts'

/** As many as a session has. */
const CHOICES = 400

/** @returns no checks if For You is off */
export function createWhy({ db, actors, memory }: CheckContext): PostChecks {
  const buffer = memory?.features?.['for-you']
  if (!buffer) return () => []
  const state = openState(buffer)
  const likesOf = createReaderLikes({ db, actors })
  let scratch: ReturnType<typeof createScratch> | undefined
  return ({ uid, did }, uri) => {
    const key = keyOfUri(uri)
    const post = key ? findPost(state, key) : -1
    if (post < 0) return [described('For You has heard of no like of it that it keeps.')]
    scratch ??= createScratch()
    const liked = atOnce(likesOf(uid, state))
    const options = { liked, limit: CHOICES, reader: slotOf(state, did) }
    const found = recommend(state, scratch, options)
    const rank = found.findIndex((candidate) => candidate.post === post)
    if (rank < 0)
      return [described(`It is not among the ${found.length} that For You would choose now.`)]
    const reason = withReason(found[rank]!).replace('with you', 'with them')
    return [described(`For You would choose it as number ${rank + 1}: ${reason}.`)]
  }
}

/** Nothing that the post's place in a timeline depends on. */
function described(text: string): PostCheck {
  return { text, isMet: undefined }
}
