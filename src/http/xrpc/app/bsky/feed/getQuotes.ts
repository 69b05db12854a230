// app.bsky.feed.getQuotes: posts that quote a post, the latest first. Left out are those by accounts in
// a block with the viewer or with the post's author, and those that wait for review.

import type { AppBskyFeedGetQuotes } from '@atproto/api'
import type { Post, Viewer } from '../../../../../answers/hydrate/types.ts'
import { viewerSeesNeedsReview } from '../../../../../answers/views/labels.ts'
import { ReadyJson } from '../../../../../answers/views/ready-json.ts'
import { postItem } from '../../../../../data/store/item-ids.ts'
import type { Method } from '../../../../server/method.ts'
import type { AppContext } from '../../../app-context.ts'
import { engagementMethod } from '../../../engagement-method.ts'

export function getQuotes(serving: AppContext): Method<AppBskyFeedGetQuotes.QueryParams> {
  const { viewCache, engagement, hydrator } = serving

  /** Labels are read only where there are any. */
  function waiting(ids: number[], authors: number[], viewer: Viewer): Set<number> {
    const labelled = hydrator.labelled({ accounts: authors, posts: ids }, viewer)
    if (labelled.accounts.size + labelled.posts.size === 0) return new Set()
    const state = hydrator.posts(ids, viewer)
    const waits = ({ id, uid, uri }: Post) =>
      ids.includes(id) && !viewerSeesNeedsReview(state, { uid, record: uri })
    return new Set([...state.posts.values()].filter(waits).map(({ id }) => id))
  }

  return engagementMethod(serving, {
    nsid: 'app.bsky.feed.getQuotes',
    read: engagement.quotes,
    present(ids: number[], { author, viewer }) {
      const authors = viewCache.facts(ids.map(postItem)).map((facts) => facts.author)
      const blocks = viewCache.blocksAmong(authors.map((uid) => [author, uid] as const))
      const hidden = waiting(ids, authors, viewer)
      return viewCache.posts(ids, viewer).flatMap((view, i) => {
        const isLeftOut = hidden.has(ids[i]!) || blocks.has(author, authors[i]!)
        return view === undefined || isLeftOut ? [] : [new ReadyJson([view])]
      })
    },
    body: (posts) => ({ posts }),
  })
}
