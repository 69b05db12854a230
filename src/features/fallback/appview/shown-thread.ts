// Applies our rules to a stranger's thread. Flat (getPostThreadV2): a hidden anchor or ancestor is shown as
// hidden; below, a hidden reply is dropped with all replies to it, and replies of muted accounts are moved
// aside. As a tree (getPostThread) the same, except that replies of muted accounts stay, as in the reference.

import { isObject, type JsonObject } from '../../../base/util/json-object.ts'
import { hiddenAs, isPostThere } from './hidden-post.ts'
import { isWithheld, type OurWord, ownerOf } from './our-word.ts'

const DEFS = 'app.bsky.unspecced.defs'
const POST = `${DEFS}#threadItemPost`
const WITHHELD = `${DEFS}#threadItemNoUnauthenticated`

/**
 * Modifies `answer`.
 * @param keepsMuted - true to keep the replies that are moved aside elsewhere
 * (getPostThreadOtherV2)
 * @returns false if nothing is left of it
 */
export function shownThread(
  answer: JsonObject,
  { word, keepsMuted }: { word: OurWord; keepsMuted: boolean },
): boolean {
  const shown: JsonObject[] = []
  let cutAt = Number.POSITIVE_INFINITY
  for (const item of answer['thread'] as JsonObject[]) {
    const depth = Number(item['depth'])
    if (depth > cutAt) continue
    cutAt = Number.POSITIVE_INFINITY
    const value = shownValue(item, word)
    const isMuted = depth > 0 && isByMuted(value, word)
    if (isMuted && !keepsMuted) answer['hasOtherReplies'] = true
    if (depth <= 0) shown.push({ ...item, value })
    else if (value === item['value'] && (keepsMuted || !isMuted)) shown.push(marked(item, isMuted))
    else cutAt = depth
    if (depth === 0 && value !== item['value']) break
  }
  answer['thread'] = shown
  return keepsMuted || shown.length > 0
}

function marked(item: JsonObject, mutedByViewer: boolean): JsonObject {
  const { value } = item
  return mutedByViewer && isObject(value) ? { ...item, value: { ...value, mutedByViewer } } : item
}

function shownValue(item: JsonObject, word: OurWord): unknown {
  const { value } = item
  // Withheld from us because our requests are anonymous; the viewer is signed in.
  if (word.isSignedIn && isObject(value) && value['$type'] === WITHHELD) {
    return { $type: `${DEFS}#threadItemNotFound` }
  }
  if (!isObject(value) || value['$type'] !== POST || !isObject(value['post'])) return value
  const { post } = value
  const did = ownerOf(post)
  const { blocks, blockedViewer } = word.account(did)
  if (blocks) return { $type: `${DEFS}#threadItemBlocked`, author: { did, viewer: blockedViewer } }
  if (isWithheld(post['author'], word)) return { $type: WITHHELD }
  return isPostThere(post, word) ? value : { $type: `${DEFS}#threadItemNotFound` }
}

function isByMuted(value: unknown, word: OurWord): boolean {
  if (!isObject(value) || !isObject(value['post'])) return false
  return word.account(ownerOf(value['post'])).mutes
}

/** Modifies `answer`. */
export function shownTree(answer: JsonObject, word: OurWord): boolean {
  const { thread } = answer
  if (!isObject(thread)) return false
  const stead = isObject(thread['post']) ? hiddenAs(thread['post'], word) : undefined
  if (stead?.['notFound']) return false
  if (stead) answer['thread'] = stead
  else prune(thread, word)
  return true
}

function prune(node: JsonObject, word: OurWord): void {
  const { parent, replies } = node
  if (isObject(parent)) {
    const stead = isObject(parent['post']) ? hiddenAs(parent['post'], word) : undefined
    if (stead) node['parent'] = stead
    else prune(parent, word)
  }
  if (!Array.isArray(replies)) return
  const shown = replies
    .filter(isObject)
    .filter(({ post }) => !isObject(post) || !hiddenAs(post, word))
  for (const reply of shown) prune(reply, word)
  node['replies'] = shown
}
