// An account's subscriptions to the posts of others, many accounts at a time.

import { type Db, idList } from '../id-list.ts'

type Row = { subject: number; post: number; reply: number; createdAt: number }

const SQL = /* sql */ `
SELECT s.subject, s.post, s.reply, s.created_at AS createdAt FROM json_each(?) ids
CROSS JOIN activity_subscriptions s ON s.uid = ? AND s.subject = ids.value`

/** Accounts without a subscription have no entry. */
export function prepareActivitySubscriptions(db: Db) {
  const select = db.prepare<[string, number], Row>(SQL)
  return (uid: number, subjects: Iterable<number>) => {
    const found = new Map<number, { post: boolean; reply: boolean; createdAt: number }>()
    if (uid === 0) return found
    for (const { subject, post, reply, createdAt } of select.all(idList(subjects), uid)) {
      found.set(subject, { post: post === 1, reply: reply === 1, createdAt })
    }
    return found
  }
}
