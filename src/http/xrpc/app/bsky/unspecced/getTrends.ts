// app.bsky.unspecced.getTrends: the hashtags used by the most accounts, with some of these accounts, of which
// those that do not want to be recommended are shown to their followers only.

import { datetime } from '../../../../../answers/views/fields.ts'
import { profileViewBasic } from '../../../../../answers/views/profiles/profile-views.ts'
import { viewerBlocks } from '../../../../../answers/views/rules.ts'
import { notRecommendedTo } from '../../../accounts/not-recommended.ts'
import type { Call } from '../../../call.ts'
import { query } from '../../../define.ts'
import { tagLink } from '../../../posts/tag-link.ts'

export const getTrends = query(
  'app.bsky.unspecced.getTrends',
  { auth: 'optional', partly: 'hashtags by our own count, without categories' },
  ({ hydrator, trends, db, graph }, { params, reader, viewer }: Call<{ limit: number }>) => {
    const visible = trends.now().slice(0, params.limit)
    const uids = new Set(visible.flatMap(({ authors }) => authors))
    const state = hydrator.profiles([...uids], reader)
    const hidden = notRecommendedTo({ db, graph }, viewer?.uid ?? 0, uids)
    const views = visible.map(({ tag, posts, startedAt, isHot, authors }) => ({
      topic: tag,
      displayName: `#${tag}`,
      link: tagLink(tag),
      startedAt: datetime(startedAt),
      postCount: posts,
      status: isHot ? 'hot' : undefined,
      actors: authors
        .filter((uid) => !hidden.has(uid) && !viewerBlocks(state, uid))
        .map((uid) => profileViewBasic(state, uid))
        .filter((view) => view !== undefined),
    }))
    return { body: { trends: views } }
  },
)
