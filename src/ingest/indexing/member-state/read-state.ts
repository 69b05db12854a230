// Reads a member's document from a database.

import { recordUri } from '../../../base/atproto/at-uri.ts'
import { isoTime } from '../../../base/util/iso-time.ts'
import { atOnce } from '../../../base/util/turn.ts'
import { type Db, openAtOneMoment } from '../../../data/store/db.ts'
import { readPreferences } from '../../../data/store/notifications/notification-preferences.ts'
import { findNotificationSettings } from '../../../data/store/notifications/notification-settings.ts'
import { findPostById } from '../../../data/store/posts/posts.ts'
import { activitySubscriptionsBy } from '../../../data/store/private/activity-subscriptions.ts'
import { bookmarksOf } from '../../../data/store/private/bookmarks.ts'
import { draftsOf } from '../../../data/store/private/drafts.ts'
import { listMutesOf } from '../../../data/store/private/list-mutes.ts'
import { mutesOf, ONLY_QUOTE_POSTS, ONLY_REPOSTS } from '../../../data/store/private/mutes.ts'
import { findActorPreferences } from '../../../data/store/private/preferences.ts'
import { threadMutesOf } from '../../../data/store/private/thread-mutes.ts'
import { findActor, uidOfDid } from '../../../data/store/records/actors.ts'
import { findListKey } from '../../../data/store/records/lists.ts'
import { atOneMoment } from '../../../data/store/transact.ts'
import { emptyState, type MemberState } from './document.ts'
import { readParts } from './feature-parts.ts'

/** @throws Error if no account with this DID is known. */
export function readState(db: Db, did: string): MemberState {
  const uid = uidOfDid(db, did)
  if (uid === undefined) throw unknown(did)
  return readStateOf(db, { did, uid })
}

/** The same for an account whose number is known. */
export function readStateOf(db: Db, { did, uid }: { did: string; uid: number }): MemberState {
  return atOneMoment(db, () => atOnce(stateInSteps(db, { did, uid })))()
}

/**
 * The same in steps, between which others may have the thread, and as JSON: a member may have 50,000
 * bookmarks. It is of one moment all the same, from a connection of its own.
 * @throws Error if no account with this DID is known
 */
export function* readStateInSteps(dataDir: string, did: string): Generator<void, string> {
  const db = openAtOneMoment(dataDir)
  try {
    const uid = uidOfDid(db, did)
    if (uid === undefined) throw unknown(did)
    return yield* jsonInSteps(yield* stateInSteps(db, { did, uid }))
  } finally {
    db.close()
  }
}

function* stateInSteps(
  db: Db,
  { did, uid }: { did: string; uid: number },
): Generator<void, MemberState> {
  const mutes = yield* each(mutesOf(db, uid), ({ subject, scope, createdAt }) => ({
    did: didOf(db, subject),
    ...(scope & ONLY_REPOSTS && { onlyReposts: true }),
    ...(scope & ONLY_QUOTE_POSTS && { onlyQuoteposts: true }),
    createdAt: isoTime(createdAt),
  }))
  const listMutes = yield* each(listMutesOf(db, uid), ({ list, createdAt }) => ({
    list: uriOf(db, 'app.bsky.graph.list', findListKey(db, list)!),
    createdAt: isoTime(createdAt),
  }))
  const threadMutes = yield* each(threadMutesOf(db, uid), ({ root, createdAt }) => ({
    root: postUri(db, root),
    createdAt: isoTime(createdAt),
  }))
  const bookmarks = yield* each(bookmarksOf(db, uid), ({ post, cid, createdAt }) => ({
    uri: postUri(db, post),
    cid,
    createdAt: isoTime(createdAt),
  }))
  const drafts = yield* each(draftsOf(db, uid), ({ id, draft, createdAt, updatedAt }) => ({
    id,
    draft: JSON.parse(draft) as unknown,
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  }))
  const activitySubscriptions = yield* each(activitySubscriptionsBy(db, uid), (item) => ({
    did: didOf(db, item.subject),
    post: item.post === 1,
    reply: item.reply === 1,
    createdAt: isoTime(item.created_at),
  }))
  return {
    ...emptyState(did),
    mutes,
    listMutes,
    threadMutes,
    bookmarks,
    drafts,
    activitySubscriptions,
    notifications: notificationsOf(db, uid),
    ...preferencesOf(db, uid),
    ...partsOf(db, uid),
  }
}

/** A step reads or writes so many entries. */
const ENTRIES_A_STEP = 200

function* each<T, U>(rows: readonly T[], of: (row: T) => U): Generator<void, U[]> {
  const entries: U[] = []
  for (const row of rows) {
    entries.push(of(row))
    if (entries.length % ENTRIES_A_STEP === 0) yield
  }
  yield
  return entries
}

/** As `JSON.stringify` writes it. */
function* jsonInSteps(state: MemberState): Generator<void, string> {
  const fields: string[] = []
  for (const [name, value] of Object.entries(state)) {
    const text = Array.isArray(value) ? yield* listInSteps(value) : JSON.stringify(value)
    fields.push(`${JSON.stringify(name)}:${text}`)
  }
  return `{${fields.join(',')}}`
}

function* listInSteps(entries: readonly unknown[]): Generator<void, string> {
  const parts: string[] = []
  for (let at = 0; at < entries.length; at += ENTRIES_A_STEP) {
    parts.push(JSON.stringify(entries.slice(at, at + ENTRIES_A_STEP)).slice(1, -1))
    yield
  }
  return `[${parts.join(',')}]`
}

function notificationsOf(db: Db, uid: number): MemberState['notifications'] {
  const settings = findNotificationSettings(db, uid)
  if (!settings) return {}
  const { preferences, priority, seen_at } = settings
  return {
    ...(preferences !== null && { preferences: readPreferences(preferences) }),
    priority: priority === 1,
    ...(seen_at !== null && { seenAt: isoTime(seen_at) }),
  }
}

function preferencesOf(db: Db, uid: number): Pick<MemberState, 'preferences'> {
  const json = findActorPreferences(db, uid)
  return json === undefined ? {} : { preferences: JSON.parse(json) }
}

function partsOf(db: Db, uid: number): Pick<MemberState, 'features'> {
  const features = readParts(db, uid)
  return features ? { features } : {}
}

function unknown(did: string): Error {
  return new Error(`${did} is not known here`)
}

function postUri(db: Db, id: number): string {
  return uriOf(db, 'app.bsky.feed.post', findPostById(db, id)!)
}

type Key = { uid: number; rkey: Parameters<typeof recordUri>[2] }

function uriOf(db: Db, collection: string, { uid, rkey }: Key): string {
  return recordUri(didOf(db, uid), collection, rkey)
}

function didOf(db: Db, uid: number): string {
  return findActor(db, uid)!.did
}
