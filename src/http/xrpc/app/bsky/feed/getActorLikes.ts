// app.bsky.feed.getActorLikes: an account's likes, latest first; shown only to that account.

import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import { andThen } from '../../../../../base/util/turn.ts'
import { postItem } from '../../../../../data/store/timelines/item-ids.ts'
import type { Call } from '../../../call.ts'
import type { Needs } from '../../../define.ts'
import { pagedMethod } from '../../../paging/paged-method.ts'
import { feedItems } from '../../../paging/present.ts'

const present = feedItems({ filter: ({ authorBlocked }) => !authorBlocked })

export const getActorLikes = pagedMethod(
  'app.bsky.feed.getActorLikes',
  { auth: 'optional', readAfterWrite: true },
  {
    about: theViewer,
    skeleton: ({ engagement }, { about, range }) =>
      engagement.likedPosts({ creator: about.uid, ...range }),
    present: (app, ids: readonly number[], page) => present(app, ids.map(postItem), page),
    halfIsEnough: true,
    body: 'feed',
  },
)

function theViewer(
  { names }: Needs<'names'>,
  { params, viewer, who, time }: Call<{ actor: string }>,
) {
  return andThen(names.find(params.actor, { who, time }), (actor) => {
    if (!viewer || actor?.did !== viewer.did) throw invalidRequest('Profile not found')
    return viewer
  })
}
