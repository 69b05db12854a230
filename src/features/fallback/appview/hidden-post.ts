// Posts that a viewer may not see, and the views that replace them.

import type { JsonObject } from '../../../base/util/json-object.ts'
import { isWithheld, type OurVerdict, ownerOf } from './our-verdict.ts'

export function isPostThere(post: JsonObject, verdict: OurVerdict): boolean {
  const isGone = verdict.post(String(post['uri'])).isGone
  return !isGone && !verdict.account(ownerOf(post)).isHidden
}

const DEFS = 'app.bsky.feed.defs'

/** The view that replaces a post. @returns undefined if the post is shown */
export function hiddenAs(post: JsonObject, verdict: OurVerdict): JsonObject | undefined {
  const { uri } = post
  const did = ownerOf(post)
  const { blocks, blockedViewer } = verdict.account(did)
  if (blocks) {
    const author = { did, viewer: blockedViewer }
    return { $type: `${DEFS}#blockedPost`, uri, blocked: true, author }
  }
  if (isPostThere(post, verdict) && !isWithheld(post['author'], verdict)) return undefined
  return { $type: `${DEFS}#notFoundPost`, uri, notFound: true }
}
