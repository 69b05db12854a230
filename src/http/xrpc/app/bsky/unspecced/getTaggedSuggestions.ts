// app.bsky.unspecced.getTaggedSuggestions: feeds and accounts under a tag, as identifiers alone. The
// reference reads a list that its operator keeps by hand; here the one tag is "popular", by likes and
// by followers.

import type { AppBskyUnspeccedGetTaggedSuggestions } from '@atproto/api'
import type { Method } from '../../../../server/method.ts'
import type { AppContext } from '../../../app-context.ts'

type Suggestion = AppBskyUnspeccedGetTaggedSuggestions.Suggestion

const TAG = 'popular'
const MAX_OF_EACH = 25

export function getTaggedSuggestions({ actors, popularRecords, suggestions }: AppContext): Method {
  const toSuggestion =
    (subjectType: Suggestion['subjectType']) =>
    (subject: string): Suggestion => ({ tag: TAG, subjectType, subject })
  return {
    nsid: 'app.bsky.unspecced.getTaggedSuggestions',
    kind: 'query',
    auth: 'none',
    partly: 'one tag, `popular`: the most liked feeds and most followed accounts here',
    handler: () => {
      const collection = 'app.bsky.feed.generator'
      const feeds = popularRecords({ collection, limit: MAX_OF_EACH, cursor: undefined }).uris
      const uids = suggestions.forViewer(0).slice(0, MAX_OF_EACH)
      const dids = uids.map((uid) => actors.didOf(uid))
      return {
        body: {
          suggestions: [...feeds.map(toSuggestion('feed')), ...dids.map(toSuggestion('actor'))],
        },
      }
    },
  }
}
