// Reasons for notifications, and their small numbers on disk. Append only, below 31: a set of reasons is a
// bit mask. Lexicon app.bsky.notification.listNotifications#notification.

export const reasonCodes = {
  like: 1,
  repost: 2,
  follow: 3,
  mention: 4,
  reply: 5,
  quote: 6,
  'starterpack-joined': 7,
  verified: 8,
  unverified: 9,
  'like-via-repost': 10,
  'repost-via-repost': 11,
  'subscribed-post': 12,
} as const

export type NotificationReason = keyof typeof reasonCodes

const reasons = Object.keys(reasonCodes) as NotificationReason[]

const byCode = new Map(reasons.map((reason) => [reasonCodes[reason] as number, reason]))

export const ALL_REASONS = reasonMask(reasons)

/** Ignores unknown names. */
export function reasonMask(names: Iterable<string>): number {
  let mask = 0
  for (const name of names) {
    if (Object.hasOwn(reasonCodes, name)) mask |= 1 << reasonCodes[name as NotificationReason]
  }
  return mask
}

export function reasonOf(code: number): NotificationReason | undefined {
  return byCode.get(code)
}
