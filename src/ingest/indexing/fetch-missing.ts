// Queues fetches of data that stored records need, in the transaction that found it missing. No requests are
// made here: backfill makes them in the background.

import { parseCollectionUri, postOfCard } from '../../base/atproto/at-uri.ts'
import { DAY_MS } from '../../base/util/durations.ts'
import {
  deleteBackfillsOf,
  findBackfill,
  milestonesReached,
} from '../../data/store/fetching/backfills.ts'
import { deepenable, deleteFeedDepths, knownSince } from '../../data/store/fetching/feed-depths.ts'
import { type JobKind, jobPriority } from '../../data/store/fetching/job-kinds.ts'
import { isJobWaiting } from '../../data/store/fetching/job-schedule.ts'
import { enqueueJob, hastenJob, outdateJobs } from '../../data/store/fetching/jobs.ts'
import { hasMemberSince } from '../../data/store/members/members.ts'
import { ANCHOR } from '../../data/store/posts/post-flags.ts'
import { isWithoutRecord } from '../../data/store/posts/posts.ts'
import { findActor } from '../../data/store/records/actors.ts'
import { associatedWithPost } from '../../data/store/records/associated-records.ts'
import { findProfile } from '../../data/store/records/profiles.ts'
import { requestReplay } from '../../data/store/stream/replays.ts'
import { type IndexContext, internActor, isAuthor } from './index-context.ts'
import { associationsOfPresented, mayBeFetched } from './records/associations.ts'
import { ensureList, ensurePost, lookUpPost } from './records/post-rows.ts'
import { LIST_COLLECTION, parsePostUri, parseRecordUri } from './records/record-fields.ts'
import { ensureRecord, parseNamedRecord } from './records/record-rows.ts'

const MAX_KNOWN_PEOPLE = 200_000
const TIES_EVERY_MS = DAY_MS
const MAX_FETCHES_AT_ONCE = 200
const OF_AUTHORS: JobKind[] = ['feed', 'follows', 'blocks', 'records']

/** Queues a post's record, if the post is only referenced so far. */
export function fetchPost(ctx: IndexContext, post: { id: number; state: number }): void {
  if (isWithoutRecord(post.state)) enqueueJob(ctx.db, 'post', post.id)
}

/**
 * Queues a post, or a list with its items, that a member keeps; at-URI by DID. No client waits for
 * it.
 */
export function fetchStored(ctx: IndexContext, uri: string): void {
  const post = parsePostUri(uri)
  const list = parseRecordUri(uri, LIST_COLLECTION)
  if (post) fetchPost(ctx, ensurePost(ctx, post, ANCHOR))
  else if (list) enqueueJob(ctx.db, 'list', ensureList(ctx, list).id)
}

/** Queues the data needed to show this account: profile, DID document and handle. */
export function fetchPerson(ctx: IndexContext, uid: number): void {
  if (ctx.knownPeople.has(uid)) return
  if (ctx.knownPeople.size >= MAX_KNOWN_PEOPLE) ctx.knownPeople.clear()
  ctx.knownPeople.add(uid)
  const priority = Math.min(jobPriority.identity, jobPriority.profile)
  if (findActor(ctx.db, uid)?.identity_checked_at == null)
    enqueueJob(ctx.db, 'identity', uid, priority)
  if (!findProfile(ctx.db, uid)) enqueueJob(ctx.db, 'profile', uid, priority)
  fetchTies(ctx, uid)
}

/**
 * Queues a stranger's blocks, which the stream passed by before anything of theirs was here. They are read again if
 * there are new members since, whom nobody followed then.
 */
function fetchTies(ctx: IndexContext, uid: number): void {
  if (ctx.scope === 'authors' || isAuthor(ctx, uid)) return
  const readAt = findBackfill(ctx.db, uid, 'ties')?.finished_at
  const isRecent =
    readAt !== undefined && (ctx.now - readAt < TIES_EVERY_MS || !hasMemberSince(ctx.db, readAt))
  if (!isRecent) enqueueJob(ctx.db, 'ties', uid)
}

/** Queues the records that a post's link card names, and their accounts. */
export function fetchCard(ctx: IndexContext, post: number): void {
  for (const row of associatedWithPost(ctx.db, post)) {
    fetchPerson(ctx, row.uid)
    if (mayBeFetched(ctx, row)) enqueueJob(ctx.db, 'associated', row.id)
  }
}

/**
 * How many of a member's follows have their past fetched from their servers. No member reads more, and
 * anyone may become a member: an account that follows millions must not make us read millions of
 * repositories. Later records of the others are kept all the same.
 */
export const MAX_AUTHORS_TO_FETCH = 20_000

/**
 * Queues an account that became an author by a member's follow; `rank`: how many accounts that
 * member followed before. Authors beyond the member's budget wait as one job, and are fetched
 * slowly (ingest/backfill/slow-lane.ts).
 */
export function fetchAuthorOf(
  ctx: IndexContext,
  { member, author, rank }: { member: number; author: number; rank: number },
): void {
  if (rank >= MAX_AUTHORS_TO_FETCH) return
  if (ctx.coldStarts.takesNow(ctx.db, { member, author, rank })) {
    fetchAuthor(ctx, author)
    if (milestonesReached(ctx.db, member).length === 0) enqueueJob(ctx.db, 'latest', author)
    return
  }
  forgetReading(ctx, author)
  enqueueJob(ctx.db, 'author', author)
}

/** Queues the data of a new author: last hours, feed, whole follow list and blocks. */
export function fetchAuthor(ctx: IndexContext, uid: number): void {
  forgetReading(ctx, uid)
  fetchPerson(ctx, uid)
  requestReplay(ctx.db, uid, ctx.now)
  for (const kind of OF_AUTHORS) enqueueJob(ctx.db, kind, uid)
}

/**
 * Earlier reads of the account have not been kept up to date, and running ones read only a
 * stranger's part of it.
 */
function forgetReading({ db }: IndexContext, uid: number): void {
  outdateJobs(db, uid, OF_AUTHORS)
  deleteBackfillsOf(db, uid)
  deleteFeedDepths(db, uid)
}

/** Queues all records of trusted verifiers, unless read before: the stream delivers later ones. */
export function fetchVerifiers(ctx: IndexContext): void {
  for (const did of ctx.trustedVerifiers) {
    const uid = internActor(ctx, did)
    if (findBackfill(ctx.db, uid, 'records')) continue
    fetchPerson(ctx, uid)
    enqueueJob(ctx.db, 'records', uid)
  }
}

/**
 * How many jobs may be queued that are not waiting already; a single item may take it a few below
 * zero.
 */
export type JobBudget = {
  left: number
  /** Some requests were left out. */
  isSpent: boolean
}

/**
 * Queues what was missing in an answer to a member (`did`): at-URIs of posts, lists, feed
 * generators and other records, collection URIs for a page of posts, DIDs of accounts. Goes ahead
 * of everything that no client waits for. Requests beyond the budget leave no trace.
 */
export function fetchMissing(
  ctx: IndexContext,
  missing: { did?: string; uris: string[]; dids: string[] },
  budget: JobBudget = { left: Number.POSITIVE_INFINITY, isSpent: false },
): void {
  const queue = createQueue(ctx, budget)
  for (const uri of missing.uris.slice(0, MAX_FETCHES_AT_ONCE)) {
    if (isSpent(budget)) return
    const post = parsePostUri(uri)
    const list = post ? undefined : parseRecordUri(uri, LIST_COLLECTION)
    if (post) fetchPresentedPost(ensurePost(ctx, post, ANCHOR), queue)
    else if (list) queue('list', ensureList(ctx, list).id)
    else if (fetchPresentedAssociated(ctx, uri, queue)) continue
    else if (!fetchPresentedPage(ctx, { uri, viewer: missing.did }, budget))
      fetchPresentedRecord(ctx, uri, queue)
  }
  for (const did of missing.dids.slice(0, MAX_FETCHES_AT_ONCE)) {
    if (isSpent(budget)) return
    const uid = internActor(ctx, did)
    queue('identity', uid)
    hastenJob(ctx.db, 'identity', uid, ctx.now)
    queue('profile', uid)
    queue('records', uid, jobPriority.follows)
  }
}

function isSpent(budget: JobBudget): boolean {
  budget.isSpent ||= budget.left <= 0
  return budget.isSpent
}

type Queue = (kind: JobKind, subject: number, priority?: number) => void

function createQueue({ db }: IndexContext, budget: JobBudget): Queue {
  return (kind, subject, priority = jobPriority.wanted) => {
    if (!isJobWaiting(db, kind, subject)) budget.left -= 1
    enqueueJob(db, kind, subject, priority)
  }
}

/** A page's posts name other accounts and posts, which are fetched with it. */
const COST_OF_PAGE = 25
/** Most pages of one stranger, from the newest. */
const MAX_PAGES = 20

/**
 * Queues a stranger's newest posts and reposts, or the next older ones; an author's are stored
 * already.
 * @returns whether this is the at-URI of a collection
 */
function fetchPresentedPage(
  ctx: IndexContext,
  { uri, viewer }: { uri: string; viewer: string | undefined },
  budget: JobBudget,
): boolean {
  const named = parseCollectionUri(uri)
  if (named?.collection !== 'app.bsky.feed.post') return named !== undefined
  const uid = internActor(ctx, named.did)
  const kind = named.before === undefined ? 'page' : 'older'
  if (isAuthor(ctx, uid) || isJobWaiting(ctx.db, kind, uid)) return true
  if (named.before !== undefined && !isReadTo(ctx, uid, named.before)) return true
  budget.left -= COST_OF_PAGE
  if (viewer !== undefined) ctx.coldStarts.looksAt(ctx.db, ctx.actors.uidOf(viewer), uid)
  enqueueJob(ctx.db, kind, uid, jobPriority.page)
  return true
}

/** Whether reading can go on there: it has not gone further, nor reached the last page. */
function isReadTo({ db }: IndexContext, uid: number, before: number): boolean {
  const [more] = deepenable(db, [uid], { maxPages: MAX_PAGES, limit: 1 })
  return more !== undefined && knownSince(db, [uid]) >= before
}

/** @returns whether this names the records of a post's link card */
function fetchPresentedAssociated(ctx: IndexContext, name: string, queue: Queue): boolean {
  const ref = parsePostUri(postOfCard(name))
  const post = ref && lookUpPost(ctx, ref)
  for (const row of post ? associationsOfPresented(ctx, post.id) : []) {
    fetchPresentedPerson(ctx, row.uid, queue)
    if (mayBeFetched(ctx, row)) queue('associated', row.id, jobPriority.associated)
  }
  return ref !== undefined
}

function fetchPresentedRecord(ctx: IndexContext, uri: string, queue: Queue): void {
  const ref = parseNamedRecord(uri)
  if (!ref) return
  const { id, isStub } = ensureRecord(ctx, ref)
  fetchPresentedPerson(ctx, ctx.actors.uidOf(ref.did), queue)
  if (isStub) queue('record', id)
}

/** Queues the creator of a record that a client waits for, who is shown with it. */
function fetchPresentedPerson(ctx: IndexContext, uid: number, queue: Queue): void {
  if (findActor(ctx.db, uid)?.identity_checked_at == null) queue('identity', uid)
  if (!findProfile(ctx.db, uid)) queue('profile', uid)
}

function fetchPresentedPost(post: { id: number; state: number }, queue: Queue): void {
  if (isWithoutRecord(post.state)) queue('post', post.id)
}
