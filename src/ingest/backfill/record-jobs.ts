// The jobs that fetch single records: a profile, a referenced post, a list with its items.

import {
  associatedCollections,
  type Collection,
  collectionCodes,
  recordCollections,
} from '../../base/atproto/collections.ts'
import { unpackCid, unpackRkey } from '../../base/atproto/keys.ts'
import { tidTimeMs } from '../../base/atproto/tid.ts'
import { findBackfill } from '../../data/store/fetching/backfills.ts'
import { isJobWaiting } from '../../data/store/fetching/job-schedule.ts'
import { rkeyOfList, storedListItems } from '../../data/store/fetching/stored-keys.ts'
import { findMember } from '../../data/store/members/members.ts'
import { findPostById, isWithoutRecord, MISSING } from '../../data/store/posts/posts.ts'
import { findActor } from '../../data/store/records/actors.ts'
import { findAssociatedById, missAssociated } from '../../data/store/records/associated-records.ts'
import { findRecordById } from '../../data/store/records/records.ts'
import type { PdsRecord, RepoTarget } from '../../sources/pds/pds-client.ts'
import { PdsError } from '../../sources/pds/pds-error.ts'
import type { FetchedRecords } from './fetched.ts'
import { reconcile } from './reconcile.ts'
import type { RepoJobResult } from './repo-jobs.ts'
import { fitsBudget } from './within-budget.ts'
import type { Services } from './work.ts'

const POST = 'app.bsky.feed.post'
const PROFILE = 'app.bsky.actor.profile'
const VISIBILITY: Collection = 'app.bsky.actor.contentVisibilityDeclaration'
const LIST = 'app.bsky.graph.list'
const LIST_ITEM = 'app.bsky.graph.listitem'
const THREADGATE: Collection = 'app.bsky.feed.threadgate'
const POSTGATE: Collection = 'app.bsky.feed.postgate'
const STREAM_MAX_WAIT_MS = 30_000
const STREAM_WAIT_MS = 5_000

/** An account without a profile record is no failure. */
export async function loadProfile(services: Services, repo: RepoTarget): Promise<RepoJobResult> {
  const fetched = await fetchRecord(services, repo, { collection: PROFILE, rkey: 'self' })
  if (fetched) services.apply.put(fetched)
  if (!isReadComplete(services, repo)) await loadVisibility(services, repo)
  return { rev: undefined, listed: fetched ? 1 : 0, removed: 0 }
}

/** Whether a job for all of its small records ran or waits. */
function isReadComplete({ db }: Services, { uid }: RepoTarget): boolean {
  return findBackfill(db, uid, 'records') !== undefined || isJobWaiting(db, 'records', uid)
}

/**
 * Whether a stranger wants to be recommended, which they may have said before anything of theirs was here.
 * A server that does not tell is no reason to do without their profile.
 */
async function loadVisibility(services: Services, repo: RepoTarget): Promise<void> {
  const key: RecordKey = { collection: VISIBILITY, rkey: 'self' }
  const visibility = await findRecord(services, repo, key).catch((error: unknown) => {
    if (error instanceof PdsError) return undefined
    throw error
  })
  if (visibility) services.apply.put(visibility)
}

/**
 * Fetches the record of a stub, with its gates; if its PDS has none, the row says so. A stranger's
 * gates pass by in the stream before any record here references the post, so they are fetched now.
 */
export async function loadPost(
  services: Services,
  repo: RepoTarget,
  postId: number,
): Promise<void> {
  const row = findPostById(services.db, postId)
  if (row === undefined || (!isWithoutRecord(row.state) && row.state !== MISSING)) return
  const key = { collection: POST, rkey: unpackRkey(row.rkey) } as const
  leaveToStream(services, repo, key.rkey)
  const fetched = await fetchRecord(services, repo, key)
  if (!fetched) return services.apply.missing(postId)
  if (!fitsBudget(services, repo, fetched)) return services.apply.leaveOut('over-budget', 1)
  const gates = await fetchGates(services, repo, fetched)
  for (const fetchedRecords of [fetched, ...gates]) services.apply.put(fetchedRecords)
}

/**
 * Leaves a member's new post to the stream, which also delivers the rev that tells their PDS. If
 * the post were here first, the PDS would add it to the member's own pages again.
 */
function leaveToStream({ db, now }: Services, { uid }: RepoTarget, rkey: string): void {
  const rev = findActor(db, uid)?.rev
  const postedAt = tidTimeMs(rkey)
  const isFresh = postedAt > now() - STREAM_MAX_WAIT_MS && postedAt < now() + STREAM_MAX_WAIT_MS
  if (!isFresh || !rev || postedAt <= tidTimeMs(rev) || !findMember(db, uid)) return
  const wait = { retryAfterMs: STREAM_WAIT_MS }
  throw new PdsError('too-early', "a member's new post is left to the stream", wait)
}

/** Only a thread's root has a threadgate. */
async function fetchGates(
  services: Services,
  repo: RepoTarget,
  { records: [post] }: FetchedRecords,
): Promise<FetchedRecords[]> {
  if (!post) return []
  const gates: FetchedRecords[] = []
  const collections = post.record['reply'] ? [POSTGATE] : [POSTGATE, THREADGATE]
  for (const collection of collections) {
    const gate = await findRecord(services, repo, { collection, rkey: post.rkey })
    if (gate) gates.push(gate)
  }
  return gates
}

/** Loads a list's record and its items. */
export async function loadList(
  services: Services,
  repo: RepoTarget,
  listId: number,
): Promise<void> {
  const { db, limits } = services
  const packed = rkeyOfList(db, listId)
  if (packed === undefined) return
  const rkey = unpackRkey(packed)
  const fetched = await fetchRecord(services, repo, { collection: LIST, rkey })
  if (!fetched) return
  services.apply.put(fetched)
  const uri = `at://${repo.did}/${LIST}/${rkey}`
  await reconcile(services, repo, {
    collection: LIST_ITEM,
    maxRecords: limits.maxListItems,
    filter: ({ record }: PdsRecord) => record['list'] === uri,
    held: (size: number) => storedListItems(db, listId, { uid: repo.uid, size }),
  })
}

/** Loads a referenced feed generator, starter pack or similar record. */
export async function loadRecord(
  services: Services,
  repo: RepoTarget,
  recordId: number,
): Promise<void> {
  const row = findRecordById(services.db, recordId)
  const collection = recordCollections.find((name) => collectionCodes[name] === row?.collection)
  if (!row || !collection || row.cid !== null) return
  const fetched = await fetchRecord(services, repo, { collection, rkey: unpackRkey(row.rkey) })
  if (fetched) services.apply.put(fetched)
}

/**
 * Loads a record that a link card names. Only one version counts, and a server has only the newest: if that is
 * another one, the row says so.
 */
export async function loadAssociated(
  services: Services,
  repo: RepoTarget,
  id: number,
): Promise<void> {
  const { apply, commit, now } = services
  const row = findAssociatedById(services.db, id)
  const collection = associatedCollections.find((name) => collectionCodes[name] === row?.collection)
  if (!row || !collection || row.isHere) return
  const fetched = await fetchRecord(services, repo, { collection, rkey: unpackRkey(row.rkey) })
  const isNamed = fetched?.records[0]?.cid === unpackCid(row.cid)
  if (!fetched || !isNamed) return commit(({ db }) => missAssociated(db, id, now()))
  if (!fitsBudget(services, repo, fetched)) return apply.leaveOut('over-budget', 1)
  apply.put(fetched)
}

/**
 * Fetches a record; undefined if the repository does not have it.
 * @throws PdsError `gone` if the PDS has no such repository
 */
async function fetchRecord(
  services: Services,
  repo: RepoTarget,
  key: RecordKey,
): Promise<FetchedRecords | undefined> {
  const found = await findRecord(services, repo, key)
  // A PDS gives the same answer for a missing repository. This method tells them apart.
  if (!found) await services.pds.getLatestRev(repo)
  return found
}

type RecordKey = { collection: FetchedRecords['collection']; rkey: string }

/**
 * Fetches a record; undefined if the PDS does not have it, for whatever reason. @throws other
 * PdsErrors
 */
async function findRecord(
  services: Services,
  repo: RepoTarget,
  key: RecordKey,
): Promise<FetchedRecords | undefined> {
  const fetchedAt = services.now()
  try {
    const record = await services.pds.getRecord(repo, key)
    const asOf = Math.min(fetchedAt, record.asOfMs ?? fetchedAt)
    return { did: repo.did, collection: key.collection, records: [record], fetchedAt: asOf }
  } catch (error) {
    if (error instanceof PdsError && error.reason === 'not-found') return undefined
    throw error
  }
}
