import { collectionCodes } from '../../../../base/atproto/collections.ts'
import { type Db, idList } from '../id-list.ts'

type TagReader = {
  /** The posts among these (posts.id) that themselves have one of the tags. */
  posts(ids: Iterable<number>, tags: readonly string[]): Set<number>
  /** The accounts among these that have one of the tags, themselves or on their profile. */
  accounts(uids: Iterable<number>, tags: readonly string[]): Set<number>
  /** Whether there are any tags at all. */
  isAny(): boolean
  /** All tags per subject (DID or at-URI); subjects without tags are omitted. */
  of(subjects: readonly string[]): Map<string, string[]>
}

const POST = collectionCodes['app.bsky.feed.post']
const PROFILE = collectionCodes['app.bsky.actor.profile']
const IS_ONE = 't.tag IN (SELECT value FROM json_each(?))'
const NONE: ReadonlySet<number> = new Set()

export function prepareTags(db: Db): TagReader {
  const any = db.prepare<[], number>('SELECT 1 FROM moderation_tags LIMIT 1').pluck()
  const posts = db
    .prepare<[string, string], number>(
      `SELECT p.id FROM json_each(?) ids CROSS JOIN posts p ON p.id = ids.value
        CROSS JOIN moderation_tags t ON t.uid = p.uid AND t.collection = ${POST} AND t.rkey = p.rkey
        WHERE ${IS_ONE}`,
    )
    .pluck()
  const accounts = db
    .prepare<[string, string], number>(
      `SELECT t.uid FROM json_each(?) ids CROSS JOIN moderation_tags t ON t.uid = ids.value
        AND t.collection IN (0, ${PROFILE}) WHERE ${IS_ONE}`,
    )
    .pluck()
  const of = db.prepare<[string], { subject: string; tag: string }>(
    `SELECT t.subject, t.tag FROM json_each(?) one
      CROSS JOIN moderation_tags t ON t.subject = one.value ORDER BY t.subject, t.tag`,
  )
  const isNone = (tags?: readonly string[]) => tags?.length === 0 || any.get() === undefined
  return {
    posts: (ids, tags) =>
      new Set(isNone(tags) ? NONE : posts.all(idList(ids), JSON.stringify(tags))),
    accounts: (uids, tags) =>
      new Set(isNone(tags) ? NONE : accounts.all(idList(uids), JSON.stringify(tags))),
    isAny: () => !isNone(),
    of(subjects) {
      const found = new Map<string, string[]>()
      if (isNone()) return found
      for (const { subject, tag } of of.all(JSON.stringify(subjects))) {
        found.set(subject, [...(found.get(subject) ?? []), tag])
      }
      return found
    },
  }
}
