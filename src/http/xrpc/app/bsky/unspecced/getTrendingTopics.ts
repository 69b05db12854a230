// app.bsky.unspecced.getTrendingTopics: the hashtags of getTrends, by name only; as suggestions, the feeds
// most liked here, except those by accounts in a block with the viewer.

import { generatorView } from '../../../../../answers/views/generator-view.ts'
import { parseRecordUri } from '../../../../../base/atproto/at-uri.ts'
import type { Call } from '../../../call.ts'
import { type Needs, query } from '../../../define.ts'
import { creatorNotBlocked } from '../../../paging/present.ts'
import { tagLink } from '../../../posts/tag-link.ts'

type TopicsCall = Call<{ limit: number }>

const GENERATOR = 'app.bsky.feed.generator'

export const getTrendingTopics = query(
  'app.bsky.unspecced.getTrendingTopics',
  { auth: 'optional', showsLabels: false },
  (app, call: TopicsCall) => {
    const topics = app.trends
      .now()
      .slice(0, call.params.limit)
      .map(({ tag }) => ({ topic: tag, displayName: `#${tag}`, link: tagLink(tag) }))
    return { body: { topics, suggested: suggestedFeeds(app, call) } }
  },
)

function suggestedFeeds(
  { hydrator, popularRecords }: Needs<'hydrator' | 'popularRecords'>,
  { params: { limit }, reader }: TopicsCall,
) {
  const { items: uris } = popularRecords({ collection: GENERATOR, limit, cursor: undefined })
  const state = hydrator.records(uris, reader)
  return uris.flatMap((uri) => {
    const view = generatorView(state, uri)
    const key = parseRecordUri(uri)
    if (!view || !key || !creatorNotBlocked(state, uri)) return []
    const { displayName, description } = view
    const link = `/profile/${key.did}/feed/${key.rkey}`
    return [{ topic: displayName, displayName, description, link }]
  })
}
