// Inserts the viewer's recent replies into a thread from the public AppView, below the posts they answer,
// since our index has them before the AppView's does.

import type { Reader } from '../../../answers/hydrate/reader.ts'
import { postView } from '../../../answers/views/posts/post-view.ts'
import { MINUTE_MS } from '../../../base/util/durations.ts'
import type { JsonObject } from '../../../base/util/json-object.ts'
import { isRepostItem, rowIdOf } from '../../../data/store/timelines/item-ids.ts'
import type { Needs } from '../../../http/xrpc/define.ts'

type Dependencies = Needs<'authorFeed' | 'hydrator'>
type Reply = { uri: string; parent: string; post: object }

/** Older replies that the AppView omits are omitted for a reason. */
const RECENT_MS = 10 * MINUTE_MS
const MAX_OWN = 30

/**
 * @param theirs - an answer of getPostThreadV2; `below` is the request's
 * @returns the answer with the missing replies
 */
export function withOwnReplies(
  parts: Dependencies,
  theirs: JsonObject,
  { reader, below }: { reader: Reader; below: number },
): JsonObject {
  if (!reader.viewer?.uid) return theirs
  const thread = [...(theirs['thread'] as JsonObject[])]
  for (const { uri, parent, post } of recentReplies(parts, reader)) {
    const rank = thread.findIndex((item) => item['uri'] === parent)
    const depth = Number(thread[rank]?.['depth']) + 1
    const isThere = thread.some((item) => item['uri'] === uri)
    if (isThere || rank < 0 || depth < 1 || depth > below) continue
    thread.splice(rank + 1, 0, { uri, depth, value: threadItem(post) })
  }
  return { ...theirs, thread }
}

/** Oldest first, so that a reply to a reply finds its parent. */
function recentReplies({ authorFeed, hydrator }: Dependencies, reader: Reader): Reply[] {
  const filter = 'posts_with_replies'
  const { items } = authorFeed({
    author: reader.viewer?.uid ?? 0,
    filter,
    limit: MAX_OWN,
    cursor: undefined,
  })
  const ids = items.filter((item) => !isRepostItem(item)).map(rowIdOf)
  const state = hydrator.posts(ids, reader)
  return ids.toReversed().flatMap((id) => {
    const own = state.posts.get(id)
    const parent = own?.record.reply?.parent.uri
    const post = own && postView(state, id)
    if (!post || parent === undefined || state.now - own.sortAt > RECENT_MS) return []
    return [{ uri: own.uri, parent, post }]
  })
}

function threadItem(post: object): JsonObject {
  return {
    $type: 'app.bsky.unspecced.defs#threadItemPost',
    post,
    moreParents: false,
    moreReplies: 0,
    opThread: false,
    hiddenByThreadgate: false,
    mutedByViewer: false,
  }
}
