// Threads of some of the posts on a member's timeline: the visible direct replies, and the parent.

import type { Dependencies } from './checking.ts'
import type { Item } from './compare-timeline.ts'
import { didOf } from './oracle.ts'

type ThreadPost = {
  $type: string
  uri?: string
  post?: { uri: string; replyCount: number }
  parent?: ThreadPost
  replies?: ThreadPost[]
}

type Ref = { uri: string }

const MAX_THREADS = 12

export async function compareThreads(parts: Dependencies, items: Item[]): Promise<void> {
  const { oracle } = parts
  const uris = [...new Set(items.map(({ post }) => post.uri))]
  const answered = uris.filter((uri) => oracle.replies(uri).length > 0)
  for (const uri of answered.slice(0, MAX_THREADS)) await compareThread(parts, uri)
}

async function compareThread(parts: Dependencies, uri: string): Promise<void> {
  const { subject, oracle, viewer, check } = parts
  const params = { uri, depth: 1, parentHeight: 3 }
  const method = 'app.bsky.feed.getPostThread'
  const { thread } = await subject.get<{ thread: ThreadPost }>(viewer, method, params)
  check(thread.post?.uri === uri, { what: 'thread', about: uri, expected: uri, got: thread.$type })
  compareParent(parts, uri, thread.parent)
  const visible = new Set((thread.replies ?? []).map((reply) => reply.post?.uri ?? reply.uri))
  const all = oracle.replies(uri)
  for (const value of visible) {
    const isReply = all.some((reply) => reply.uri === value)
    check(isReply, { what: 'reply in a thread', about: uri, expected: 'absent', got: value })
  }
  for (const { creator, uri: reply } of all) {
    if (!isExpected(parts, { creator, reply, of: uri })) continue
    const got = visible.has(reply) ? 'shown' : 'missing'
    const what = `reply in the thread of ${uri}`
    check(visible.has(reply), { what, about: reply, expected: 'shown', got })
  }
}

/** Whether the reply must be shown: no block, gate or inactive account speaks against it. */
function isExpected(
  { oracle, viewer }: Dependencies,
  { creator, reply, of }: { creator: string; reply: string; of: string },
): boolean {
  const { root } = oracle.post(reply)!.value['reply'] as { root: Ref }
  const others = [viewer, didOf(of), didOf(root.uri)]
  const isAtOdds = others.some((did) => oracle.isBlocked(did, creator))
  return (
    oracle.isWitnessed(of) &&
    !oracle.isHidden(creator) &&
    !isAtOdds &&
    !oracle.isMuted(viewer, creator) &&
    !oracle.isGated(root.uri)
  )
}

/**
 * A reply that a gate forbids has no parent shown; whether the gate already existed when the reply
 * arrived is unknown.
 */
function compareParent(
  { oracle, check }: Dependencies,
  uri: string,
  visible: ThreadPost | undefined,
): void {
  const reply = oracle.post(uri)?.value['reply'] as Record<'root' | 'parent', Ref> | undefined
  const above = reply?.parent.uri
  if (above === undefined) {
    return check(!visible, {
      what: 'parent in a thread',
      about: uri,
      expected: 'none',
      got: visible,
    })
  }
  if (oracle.isGated(reply!.root.uri)) return
  // A block between the two takes precedence, as in the reference, even if one of them is inactive.
  const isAtOdds = oracle.isBlocked(didOf(uri), didOf(above))
  if (isAtOdds && visible?.$type.endsWith('#blockedPost')) return
  const found = oracle.post(above)
  const isThere = found !== undefined && !oracle.isHidden(found.author)
  const got = visible !== undefined && !visible.$type.endsWith('#notFoundPost')
  check(got === isThere, { what: 'parent in a thread', about: above, expected: isThere, got })
}
