// Notifications: each one once, by reason, author and subject; every one that is certain since the mark, none
// without a matching act; and the badge must count those that the list shows as unread.

import { type Dependencies, type Profile, readAll } from './checking.ts'
import { didOf } from './oracle.ts'

type Notification = {
  uri: string
  author: Profile
  reason: string
  reasonSubject?: string
  isRead: boolean
}
type Ref = { uri: string }
type Expected = { key: string; uri: string; isSure: boolean }

const POST = 'app.bsky.feed.post'
const REASONS = [
  ['app.bsky.feed.like', 'like'],
  ['app.bsky.feed.repost', 'repost'],
  ['app.bsky.graph.follow', 'follow'],
] as const
/** Levels of ancestors above a reply. */
const MAX_HEIGHT = 4

export async function compareNotifications(parts: Dependencies): Promise<void> {
  const { subject, oracle, viewer, check } = parts
  const method = 'app.bsky.notification.listNotifications'
  const got = await readAll<Notification>(parts, method, {}, 'notifications')
  const possible = new Map<string, boolean>()
  for (const did of oracle.everybody()) {
    if (!mayTell(parts, did)) continue
    for (const { key, isSure } of actionsOf(parts, did)) {
      possible.set(key, (possible.get(key) ?? false) || isSure)
    }
  }
  const visible = new Set<string>()
  for (const notification of got) {
    const key = keyOf(notification)
    check(!visible.has(key), {
      what: 'notification twice',
      about: notification.uri,
      expected: 1,
      got: key,
    })
    check(possible.has(key), {
      what: 'notification',
      about: notification.uri,
      expected: 'absent',
      got: key,
    })
    visible.add(key)
  }
  for (const [key, isSure] of possible) {
    if (!isSure) continue
    const about = key.split(' ').at(-1)!
    check(visible.has(key), { what: 'notification', about, expected: key, got: 'missing' })
  }
  const unread = got.filter(({ isRead }) => !isRead).length
  const { count } = await subject.get<{ count: number }>(
    viewer,
    'app.bsky.notification.getUnreadCount',
    {},
  )
  check(count === unread, { what: 'unread', about: viewer, expected: unread, got: count })
}

/** Likes, reposts and follows by author and subject; posts by themselves. */
function keyOf({ reason, author, reasonSubject, uri }: Notification): string {
  const isPair = REASONS.some(([, name]) => name === reason)
  return isPair
    ? `${reason} ${author.did} ${reasonSubject ?? ''}`
    : `${reason} ${author.did} ${uri}`
}

function mayTell({ oracle, viewer }: Dependencies, did: string): boolean {
  const isAway = did === viewer || oracle.isHidden(did)
  return !isAway && !oracle.isBlocked(viewer, did) && !oracle.isMuted(viewer, did)
}

/** Acts of one account that the member may be notified of. */
function actionsOf(parts: Dependencies, did: string): Expected[] {
  const { oracle, viewer } = parts
  const found: Expected[] = []
  for (const [collection, reason] of REASONS) {
    for (const { rkey, value } of oracle.records(did, collection)) {
      const uri = `at://${did}/${collection}/${rkey}`
      const isFollow = reason === 'follow'
      const subject = isFollow ? '' : (value['subject'] as Ref).uri
      const owner = isFollow ? value['subject'] : didOf(subject)
      if (owner !== viewer || (!isFollow && !oracle.post(subject))) continue
      found.push({ key: `${reason} ${did} ${subject}`, uri, isSure: oracle.isMarked(uri) })
    }
  }
  for (const { rkey } of oracle.records(did, POST)) {
    found.push(...postActivity(parts, `at://${did}/${POST}/${rkey}`))
  }
  return found
}

/**
 * A quote takes precedence over a reply; of the ancestors, only the parent is certain to be known.
 */
function postActivity(parts: Dependencies, uri: string): Expected[] {
  const { oracle, viewer } = parts
  const { author, value } = oracle.post(uri)!
  const isMarked = oracle.isMarked(uri)
  const quoted = (value['embed'] as { record?: Ref } | undefined)?.record?.uri
  const reply = value['reply'] as { root: Ref; parent: Ref } | undefined
  const found: Expected[] = []
  if (quoted && didOf(quoted) === viewer && oracle.post(quoted)) {
    found.push({ key: `quote ${author} ${uri}`, uri, isSure: isMarked })
  }
  let above = reply?.parent.uri
  for (let height = 1; above && height <= MAX_HEIGHT; height++) {
    const post = oracle.post(above)
    if (didOf(above) === viewer && post) {
      const isFree = !oracle.isGated(reply!.root.uri)
      const isSure = isMarked && height === 1 && isFree && found.length === 0
      found.push({ key: `reply ${author} ${uri}`, uri, isSure })
    }
    // A reply below a post that is now deleted may have been announced while that post existed,
    // which can no longer be verified.
    if (!post && isInThread(parts, reply!.root.uri)) {
      found.push({ key: `reply ${author} ${uri}`, uri, isSure: false })
    }
    above = (post?.value['reply'] as { parent: Ref } | undefined)?.parent.uri
  }
  return found
}

/** Whether the member wrote anything in the thread. */
function isInThread({ oracle, viewer }: Dependencies, root: string): boolean {
  if (didOf(root) === viewer) return true
  return oracle.records(viewer, POST).some(({ value }) => {
    return (value['reply'] as { root: Ref } | undefined)?.root.uri === root
  })
}
