// app.bsky.feed.getLikes: the likes of a post, a feed, a starter pack or a labeler, latest first. Leaves out
// accounts in a block with the viewer or with the subject's author.

import type { Like } from '../../../../../answers/skeleton/engagement.ts'
import type { SkeletonPage } from '../../../../../answers/skeleton/skeleton-page.ts'
import { datetime } from '../../../../../answers/views/fields.ts'
import { parseRecordUri } from '../../../../../base/atproto/at-uri.ts'
import type { Call } from '../../../call.ts'
import type { Needs } from '../../../define.ts'
import { isPostUri } from '../../../naming/post-names.ts'
import { type PagePart, pagedMethod } from '../../../paging/paged-method.ts'
import {
  echoed,
  isUnheld,
  NOTHING,
  namedSubject,
  type Subject,
} from '../../../posts/engagement-method.ts'

export const getLikes = pagedMethod(
  'app.bsky.feed.getLikes',
  { auth: 'optional' },
  {
    about: namedSubject,
    skeleton: likesOf,
    present,
    halfIsEnough: true,
    isUnknown: isUnheld,
    body: (likes, { call, cursor }) => ({ ...echoed(call), likes, cursor }),
  },
)

function likesOf(
  { engagement, recordLikes }: Needs<'engagement' | 'recordLikes'>,
  { about: { author, id, uri }, range }: PagePart<Call<never>, Subject>,
): SkeletonPage<Like> {
  if (id !== 0) return engagement.likes({ post: id, ...range })
  const key = parseRecordUri(uri)
  if (!key || isPostUri(uri) || author === 0) return NOTHING
  const record = { uid: author, collection: key.collection, rkey: key.rkey }
  return recordLikes({ record, ...range })
}

function present(
  { viewCache }: Needs<'viewCache'>,
  likes: readonly Like[],
  { about: { author }, call: { reader } }: { about: Subject; call: Call<never> },
) {
  const uids = likes.map(({ uid }) => uid)
  const pairs = uids.map((uid) => [author, uid] as const)
  const blocks = viewCache.blocksAmong(pairs, reader)
  const actors = viewCache.profiles(uids, reader, {
    isVisible: (uid, relation) => !relation.blocks && !blocks.has(author, uid),
  })
  return likes.map(({ createdAt, sortAt }, i) => {
    const actor = actors[i]
    const times = { createdAt: datetime(createdAt), indexedAt: datetime(sortAt) }
    return actor && { actor, ...times }
  })
}
