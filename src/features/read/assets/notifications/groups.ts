// Notifications that are one row: likes or reposts of one record, new followers but those who follow back, and posts by
// accounts subscribed to, within two days, as in the official client. A group stands where its newest is; one account is
// in it once.

const GROUPED = [
  'like',
  'repost',
  'follow',
  'like-via-repost',
  'repost-via-repost',
  'subscribed-post',
]
const GROUP_MS = 48 * 3_600_000

type One = {
  reason: string
  reasonSubject?: string
  indexedAt: string
  author: { did: string; viewer?: { following?: string } }
}

/** @param all - newest first. @returns groups, each newest first */
export function groupsOf<Notification extends One>(
  all: readonly Notification[],
): [Notification, ...Notification[]][] {
  const groups: [Notification, ...Notification[]][] = []
  for (const notification of all) {
    const group = groups.find((before) => belongs(notification, before))
    if (group) group.push(notification)
    else groups.push([notification])
  }
  return groups
}

function belongs(one: One, [first, ...others]: readonly [One, ...One[]]): boolean {
  if (!GROUPED.includes(one.reason) || one.reason !== first.reason) return false
  if (one.reasonSubject !== first.reasonSubject) return false
  if (isFollowBack(one) || isFollowBack(first)) return false
  if (Date.parse(first.indexedAt) - Date.parse(one.indexedAt) >= GROUP_MS) return false
  if (one.reason === 'subscribed-post') return true
  return [first, ...others].every(({ author }) => author.did !== one.author.did)
}

function isFollowBack({ reason, author }: One): boolean {
  return reason === 'follow' && author.viewer?.following !== undefined
}
