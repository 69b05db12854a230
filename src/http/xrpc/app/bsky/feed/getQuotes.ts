// app.bsky.feed.getQuotes: posts that quote a post, latest first. Leaves out posts by accounts in a block
// with the viewer or with the post's author, and posts awaiting review.

import type { Reader } from '../../../../../answers/hydrate/reader.ts'
import { viewerSeesNeedsReview } from '../../../../../answers/views/labels.ts'
import { postItem } from '../../../../../data/store/timelines/item-ids.ts'
import type { Call } from '../../../call.ts'
import type { Needs } from '../../../define.ts'
import { pagedMethod } from '../../../paging/paged-method.ts'
import {
  echoed,
  isUnheld,
  NOTHING,
  namedSubject,
  type Subject,
} from '../../../posts/engagement-method.ts'

export const getQuotes = pagedMethod(
  'app.bsky.feed.getQuotes',
  { auth: 'optional' },
  {
    about: namedSubject,
    skeleton: ({ engagement }, { about: { id }, range }) =>
      id === 0 ? NOTHING : engagement.quotes({ post: id, ...range }),
    present,
    halfIsEnough: true,
    isUnknown: isUnheld,
    body: (posts, { call, cursor }) => ({ ...echoed(call), posts, cursor }),
  },
)

function present(
  { hydrator, viewCache }: Needs<'hydrator' | 'viewCache'>,
  ids: readonly number[],
  { about: { author }, call: { reader } }: { about: Subject; call: Call<never> },
) {
  const authors = viewCache.facts(ids.map(postItem), reader).map((facts) => facts.author)
  const pairs = authors.map((uid) => [author, uid] as const)
  const blocks = viewCache.blocksAmong(pairs, reader)
  const hidden = waitingForReview({ hydrator }, { ids, authors }, reader)
  const views = viewCache.posts(ids, reader, { knownLikers: 'all' })
  return views.map((view, i) => {
    const isLeftOut = hidden.has(ids[i]!) || blocks.has(author, authors[i]!)
    return isLeftOut ? undefined : view
  })
}

/** Loads posts only if any of them or their authors are labelled. */
function waitingForReview(
  { hydrator }: Needs<'hydrator'>,
  { ids, authors }: { ids: readonly number[]; authors: readonly number[] },
  reader: Reader,
): Set<number> {
  const labelled = hydrator.labelled({ accounts: authors, posts: ids }, reader)
  if (labelled.accounts.size + labelled.posts.size === 0) return new Set()
  const state = hydrator.posts(ids, reader)
  const waiting = ids.filter((id) => {
    const post = state.posts.get(id)
    return post && !viewerSeesNeedsReview(state, { uid: post.uid, record: post.uri })
  })
  return new Set(waiting)
}
