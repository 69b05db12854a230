// Applies our rules to a stranger's thread. Flat (getPostThreadV2): a hidden anchor or ancestor is shown as
// hidden; below, a hidden reply is dropped with all replies to it, and replies of muted accounts are moved
// aside. As a tree (getPostThread) the same, except that replies of muted accounts stay, as in the reference.

import { isObject, type JsonObject } from '../../../base/util/json-object.ts'
import { hiddenAs, isPostThere } from './hidden-post.ts'
import { isWithheld, type OurVerdict, ownerOf } from './our-verdict.ts'

const DEFS = 'app.bsky.unspecced.defs'
const POST = `${DEFS}#threadItemPost`
const WITHHELD = `${DEFS}#threadItemNoUnauthenticated`

/**
 * Modifies `answer`.
 * @param includesMuted - true to keep the replies that are moved aside elsewhere
 * (getPostThreadOtherV2)
 * @returns false if nothing is left of it
 */
export function visibleThread(
  answer: JsonObject,
  { verdict, includesMuted }: { verdict: OurVerdict; includesMuted: boolean },
): boolean {
  const visible: JsonObject[] = []
  let cutAt = Number.POSITIVE_INFINITY
  for (const item of answer['thread'] as JsonObject[]) {
    const depth = Number(item['depth'])
    if (depth > cutAt) continue
    cutAt = Number.POSITIVE_INFINITY
    const value = visibleValue(item, verdict)
    const isMuted = depth > 0 && isByMuted(value, verdict)
    if (isMuted && !includesMuted) answer['hasOtherReplies'] = true
    if (depth <= 0) visible.push({ ...item, value })
    else if (value === item['value'] && (includesMuted || !isMuted))
      visible.push(marked(item, isMuted))
    else cutAt = depth
    if (depth === 0 && value !== item['value']) break
  }
  answer['thread'] = visible
  return includesMuted || visible.length > 0
}

function marked(item: JsonObject, mutedByViewer: boolean): JsonObject {
  const { value } = item
  return mutedByViewer && isObject(value) ? { ...item, value: { ...value, mutedByViewer } } : item
}

function visibleValue(item: JsonObject, verdict: OurVerdict): unknown {
  const { value } = item
  // Withheld from us because our requests are anonymous; the viewer is signed in.
  if (verdict.isSignedIn && isObject(value) && value['$type'] === WITHHELD) {
    return { $type: `${DEFS}#threadItemNotFound` }
  }
  if (!isObject(value) || value['$type'] !== POST || !isObject(value['post'])) return value
  const { post } = value
  const did = ownerOf(post)
  const { blocks, blockedViewer } = verdict.account(did)
  if (blocks) return { $type: `${DEFS}#threadItemBlocked`, author: { did, viewer: blockedViewer } }
  if (isWithheld(post['author'], verdict)) return { $type: WITHHELD }
  return isPostThere(post, verdict) ? value : { $type: `${DEFS}#threadItemNotFound` }
}

function isByMuted(value: unknown, verdict: OurVerdict): boolean {
  if (!isObject(value) || !isObject(value['post'])) return false
  return verdict.account(ownerOf(value['post'])).mutes
}

/** Modifies `answer`. */
export function visibleTree(answer: JsonObject, verdict: OurVerdict): boolean {
  const { thread } = answer
  if (!isObject(thread)) return false
  const stead = isObject(thread['post']) ? hiddenAs(thread['post'], verdict) : undefined
  if (stead?.['notFound']) return false
  if (stead) answer['thread'] = stead
  else prune(thread, verdict)
  return true
}

function prune(node: JsonObject, verdict: OurVerdict): void {
  const { parent, replies } = node
  if (isObject(parent)) {
    const stead = isObject(parent['post']) ? hiddenAs(parent['post'], verdict) : undefined
    if (stead) node['parent'] = stead
    else prune(parent, verdict)
  }
  if (!Array.isArray(replies)) return
  const visible = replies
    .filter(isObject)
    .filter(({ post }) => !isObject(post) || !hiddenAs(post, verdict))
  for (const reply of visible) prune(reply, verdict)
  node['replies'] = visible
}
