// app.bsky.unspecced.getTaggedSuggestions: feeds and accounts under a tag, as identifiers only. The reference
// reads a list that its operator maintains by hand; here the only tag is "popular", by likes and by
// followers.

import type { AppBskyUnspeccedGetTaggedSuggestions } from '@atproto/api'
import { hiddenFromRecommendations } from '../../../../../data/store/read/accounts/content-visibility.ts'
import { query } from '../../../define.ts'

type Suggestion = AppBskyUnspeccedGetTaggedSuggestions.Suggestion

const TAG = 'popular'
const MAX_OF_EACH = 25

export const getTaggedSuggestions = query(
  'app.bsky.unspecced.getTaggedSuggestions',
  {
    auth: 'none',
    partly: 'one tag, `popular`: the most liked feeds and most followed accounts here',
    showsLabels: false,
  },
  ({ actors, db, popularRecords, suggestions }) => {
    const collection = 'app.bsky.feed.generator'
    const feeds = popularRecords({ collection, limit: MAX_OF_EACH, cursor: undefined }).items
    const found = suggestions.forViewer(0)
    const hidden = hiddenFromRecommendations(db, found)
    const uids = found.filter((uid) => !hidden.has(uid)).slice(0, MAX_OF_EACH)
    const dids = uids.map((uid) => actors.didOf(uid))
    return {
      body: {
        suggestions: [...feeds.map(toSuggestion('feed')), ...dids.map(toSuggestion('actor'))],
      },
    }
  },
)

function toSuggestion(subjectType: Suggestion['subjectType']) {
  return (subject: string): Suggestion => ({ tag: TAG, subjectType, subject })
}
