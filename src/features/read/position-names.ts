// Which timelines have a position, and what can be one: methods and members' documents must agree.

import { isBadFeedCursor, isRetiredCursor } from '../../answers/skeleton/page-cursor.ts'
import { parseRecordUri } from '../../base/atproto/at-uri.ts'

const FOLLOWING = 'following'
const LISTS = ['app.bsky.graph.list', 'app.bsky.feed.generator']

/** `following`, or the at-URI of a list or feed. */
export function isTimeline(name: string): boolean {
  return name === FOLLOWING || LISTS.includes(parseRecordUri(name)?.collection ?? '')
}

/** A cursor or startCursor of a feed. */
export function isPosition(text: string): boolean {
  return !isRetiredCursor(text) && !isBadFeedCursor(text)
}
