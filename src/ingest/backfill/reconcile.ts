// Makes our rows of one collection equal to the repository's listing: adds missing records, corrects changed
// ones, removes those that are gone. Live events arrive in between, and win. Changes are applied in slices,
// so that the stream is never held up for longer than one slice.

import { type Collection, collectionCodes } from '../../base/atproto/collections.ts'
import { type PackedRkey, packRkey, unpackRkey } from '../../base/atproto/keys.ts'
import { revTimeMs, tidAt } from '../../base/atproto/tid.ts'
import { MINUTE_MS } from '../../base/util/durations.ts'
import { findMember } from '../../data/store/members/members.ts'
import { latestRevOf } from '../../data/store/posts/latest-rev.ts'
import { findTombstone } from '../../data/store/records/tombstones.ts'
import { walkComplete } from '../../sources/pds/complete-walk.ts'
import { walkCollection } from '../../sources/pds/listing.ts'
import { walkNewest } from '../../sources/pds/newest.ts'
import type { PdsRecord, RepoTarget } from '../../sources/pds/pds-client.ts'
import { PdsError } from '../../sources/pds/pds-error.ts'
import type {
  ListedPage,
  ListingBounds,
  ListingEnd,
  ListingServices,
  Walk,
} from '../../sources/pds/walk.ts'
import { allRules } from '../indexing/collections/all-rules.ts'
import { type Services, yieldToOthers } from './work.ts'

type Reconciliation = ListingBounds & {
  collection: Collection
  /** Applies only these records; the others count as not listed. */
  filter?: (record: PdsRecord) => boolean
  /** Yields the held keys in pages of this size; by default all keys of the collection. */
  held?: (size: number) => Iterable<PackedRkey[]>
  /** Stops at the lowest held key; unless `onlyNewest`, at once if the listing does not lead there. */
  onlyDownToStored?: boolean
  /** Reads from the newest on, in whatever order the server lists them. */
  onlyNewest?: boolean
  /** The records are to be shown: kept whoever wrote them. */
  isVisible?: boolean
  /** Requests held keys that the listing did not reach one by one. */
  checksRest?: boolean
}

export type Reconciled = ListingEnd & {
  removed: number
  broken: number
  /** Held keys that were not checked. */
  unchecked: number
  /** The repository's rev before the listing began, if it was read. */
  rev: string | undefined
}

const KEYS_AT_ONCE = 2_000
const FRESH_MS = 10 * MINUTE_MS
const POST: Collection = 'app.bsky.feed.post'

/**
 * The held keys are noted before the first page is requested: only these can be found gone, so a
 * key that the stream adds meanwhile is safe. A key that the stream touched since the listing began
 * is left alone (the indexer keeps each key's last change): the page may have been read between its
 * deletion and its return. A key that is not listed is gone only if the listing covers it: all keys
 * if the listing ran to its end, otherwise those at or above the last key shown.
 *
 * @throws PdsError
 */
export async function reconcile(
  services: Services,
  repo: RepoTarget,
  what: Reconciliation,
): Promise<Reconciled> {
  const beganAt = services.now()
  const unseen = await noteStoredKeys(services, repo, what)
  const lowest = what.onlyDownToStored ? lowestOf(unseen) : undefined
  if (what.onlyDownToStored && lowest === undefined) {
    const nothing = { listed: 0, removed: 0, broken: 0, unchecked: 0 }
    return { complete: true, floor: undefined, next: undefined, ...nothing, rev: undefined }
  }
  const isOwn = what.collection === POST && findMember(services.db, repo.uid) !== undefined
  const seen = unseen.size > 0 ? latestRevOf(services.db, repo.uid) : undefined
  // Orders the deletions found here among those of the stream. Without held keys there are none.
  const rev = unseen.size > 0 || isOwn ? await services.pds.getLatestRev(repo) : undefined
  const repoRev = isOwn && rev && revTimeMs(rev, beganAt) !== undefined ? rev : undefined
  let broken = 0
  const end = await walkAs(what)(services, repo, {
    ...what,
    take: what.take && ((page) => what.take!(page, (rkey) => unseen.has(rkey))),
    isEnough: (page) => isBelow(page, lowest) || (what.isEnough?.(page) ?? false),
    onPage: async (page) => {
      broken += page.broken.length
      const records = what.filter ? page.records.filter(what.filter) : page.records
      for (const { rkey } of records) unseen.delete(rkey)
      for (const rkey of page.broken) unseen.delete(rkey)
      const settled = records.filter(({ rkey }) => !repoRev || !isFresh(services, rkey, repoRev))
      await applySliced(services, repo, { ...page, ...what, records: settled, repoRev })
    },
  })
  // What a mirror lacks may be newer than its file.
  const gone = repo.isMirror ? [] : goneKeys(unseen, end)
  const rest = end.complete ? [] : restOf(unseen, gone)
  const checked =
    what.checksRest && !repo.isMirror ? rest.slice(0, services.limits.maxKeysChecked) : []
  for (const rkey of checked)
    if (!(await isThere(services, repo, { ...what, rkey }))) gone.push(rkey)
  // Some servers list a repository that they don't have as an empty one.
  if (gone.length > 0 && rev === undefined) await services.pds.describeRepo(repo)
  // Where the server was set back, its revision is before what it no longer has.
  const goneAt = isSetBack(seen, rev) ? undefined : rev
  const removed = await removeGone(services, repo, { ...what, rkeys: gone, rev: goneAt, beganAt })
  return { ...end, removed, broken, unchecked: rest.length - checked.length, rev }
}

/** Whether a server has less than it had: `seen` was received before its revision was asked for. */
export function isSetBack(seen: string | undefined, rev: string | undefined): boolean {
  return seen !== undefined && rev !== undefined && rev < seen
}

type WalkOut = (services: ListingServices, repo: RepoTarget, walk: Walk) => Promise<ListingEnd>

function walkAs({ onlyDownToStored, onlyNewest }: Reconciliation): WalkOut {
  if (onlyNewest)
    return async (services, repo, walk) => {
      const end = await walkNewest(services, repo, walk)
      return end ?? { complete: false, floor: undefined, next: undefined, listed: 0 }
    }
  if (!onlyDownToStored) return walkComplete
  return (services, repo, walk) => walkCollection(services, repo, { ...walk, isOnlyFalling: true })
}

/** Returns the rest, newest first. */
function restOf(unseen: Set<string>, gone: string[]): string[] {
  for (const rkey of gone) unseen.delete(rkey)
  return [...unseen].sort().reverse()
}

/** Whether the repository has this key; applies its record, since it may have changed. */
async function isThere(
  services: Services,
  repo: RepoTarget,
  { collection, rkey }: { collection: Collection; rkey: string },
): Promise<boolean> {
  const fetchedAt = services.now()
  try {
    const record = await services.pds.getRecord(repo, { collection, rkey })
    services.apply.put({ did: repo.did, collection, records: [record], fetchedAt })
    return true
  } catch (error) {
    if (!(error instanceof PdsError)) throw error
    if (error.reason === 'not-found') return false
    if (error.reason === 'bad-answer') return true
    throw error
  }
}

async function noteStoredKeys(
  services: Services,
  { uid }: RepoTarget,
  what: Reconciliation,
): Promise<Set<string>> {
  const keys = new Set<string>()
  const all = (size: number) => allRules[what.collection].storedKeys(services.db, { uid, size })
  for (const page of (what.held ?? all)(KEYS_AT_ONCE)) {
    for (const key of page) keys.add(unpackRkey(key))
    if (page.length === KEYS_AT_ONCE) await yieldToOthers(services)
  }
  return keys
}

/**
 * Whether the key was written during the listing. A key that is no TID, or of another time, does
 * not tell.
 */
function isFresh({ now }: Services, rkey: string, rev: string): boolean {
  const isTid = typeof packRkey(rkey) !== 'string'
  return isTid && rkey > rev && rkey < tidAt(now() + FRESH_MS)
}

/**
 * `repoRev`: set if a member's own posts are listed, as of this rev of a credible time. Their PDS is told that we know
 * exactly the posts up to it, so it neither adds one twice nor leaves one out; newer ones arrive
 * over the stream.
 */
async function applySliced(
  services: Services,
  { did }: RepoTarget,
  page: Reconciliation & { records: PdsRecord[]; fetchedAt: number; repoRev?: string },
): Promise<void> {
  const { collection, records, fetchedAt, repoRev, isVisible } = page
  const { slice } = services.limits
  for (let start = 0; start < records.length; start += slice) {
    const part = records.slice(start, start + slice)
    services.apply.put({ did, collection, records: part, fetchedAt, repoRev, isVisible })
    await yieldToOthers(services)
  }
}

async function removeGone(
  services: Services,
  { uid, did }: RepoTarget,
  gone: Reconciliation & { rkeys: string[]; rev: string | undefined; beganAt: number },
): Promise<number> {
  const { collection, rev, beganAt } = gone
  const { slice } = services.limits
  let removed = 0
  for (let start = 0; start < gone.rkeys.length; start += slice) {
    const rkeys = gone.rkeys
      .slice(start, start + slice)
      .filter((rkey) => !isTouchedSince(services, { uid, collection, rkey, since: beganAt }))
    services.apply.remove({ uid, did, collection, rkeys, rev, fetchedAt: beganAt })
    removed += rkeys.length
    await yieldToOthers(services)
  }
  return removed
}

function isTouchedSince(
  { db }: Services,
  key: { uid: number; collection: Collection; rkey: string; since: number },
): boolean {
  const { uid, collection, rkey, since } = key
  const stone = findTombstone(db, {
    uid,
    collection: collectionCodes[collection],
    rkey: packRkey(rkey),
  })
  return stone !== undefined && stone.deleted_at >= since
}

function goneKeys(unseen: Set<string>, { complete, floor }: ListingEnd): string[] {
  if (complete) return [...unseen]
  if (floor === undefined) return []
  return [...unseen].filter((rkey) => rkey >= floor)
}

function lowestOf(keys: Set<string>): string | undefined {
  let lowest: string | undefined
  for (const key of keys) if (lowest === undefined || key < lowest) lowest = key
  return lowest
}

function isBelow(page: ListedPage, lowest: string | undefined): boolean {
  const last = page.records.at(-1)
  return lowest !== undefined && last !== undefined && last.rkey < lowest
}
