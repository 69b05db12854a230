// Posts that a viewer may not see, and the views that replace them.

import type { JsonObject } from '../../../base/util/json-object.ts'
import { isWithheld, type OurWord, ownerOf } from './our-word.ts'

export function isPostThere(post: JsonObject, word: OurWord): boolean {
  const isGone = word.post(String(post['uri'])).isGone
  return !isGone && !word.account(ownerOf(post)).isHidden
}

const DEFS = 'app.bsky.feed.defs'

/** The view that replaces a post. @returns undefined if the post is shown */
export function hiddenAs(post: JsonObject, word: OurWord): JsonObject | undefined {
  const { uri } = post
  const did = ownerOf(post)
  const { blocks, blockedViewer } = word.account(did)
  if (blocks) {
    const author = { did, viewer: blockedViewer }
    return { $type: `${DEFS}#blockedPost`, uri, blocked: true, author }
  }
  if (isPostThere(post, word) && !isWithheld(post['author'], word)) return undefined
  return { $type: `${DEFS}#notFoundPost`, uri, notFound: true }
}
