// The jobs that read collections of a repository: an author's recent feed, whole follow list, blocks
// and gates, and the comparison of everything after a `sync`.

import { findBackfill } from '../store/backfills.ts'
import { type Collection, recordCollections } from '../store/collections.ts'
import { heldKeys } from '../store/held-keys.ts'
import { isJobWaiting } from '../store/job-schedule.ts'
import { findMember } from '../store/members.ts'
import type { ListedPage } from './listing.ts'
import { MAX_PAGE } from './pds-client.ts'
import { type Reconciled, reconcile } from './reconcile.ts'
import type { RepoTarget, Services } from './work.ts'

const FOLLOWS: Collection = 'app.bsky.graph.follow'
const BLOCKS: Collection[] = [
  'app.bsky.graph.block',
  'app.bsky.graph.listblock',
  'app.bsky.feed.threadgate',
  'app.bsky.feed.postgate',
]
const LISTS: Collection[] = ['app.bsky.graph.list', 'app.bsky.graph.listitem']
const FEED: Collection[] = ['app.bsky.feed.post', 'app.bsky.feed.repost', 'app.bsky.feed.like']

export type RepoJobResult = { rev: string | undefined; listed: number; removed: number }

/** The newest posts and reposts, down to a target number. */
export async function loadFeed(services: Services, repo: RepoTarget): Promise<RepoJobResult> {
  const { limits, now } = services
  const oldest = now() - limits.feedMaxAgeMs
  const isEnough = (page: ListedPage) => isShort(page) || lastCreatedAt(page) < oldest
  const posts = { collection: 'app.bsky.feed.post', maxRecords: limits.feedPosts } as const
  const reposts = { collection: 'app.bsky.feed.repost', maxRecords: limits.feedReposts } as const
  return sum([
    await reconcile(services, repo, { ...posts, isEnough }),
    await reconcile(services, repo, { ...reposts, isEnough }),
  ])
}

/** The whole follow list. */
export async function loadFollows(services: Services, repo: RepoTarget): Promise<RepoJobResult> {
  const { maxFollows } = services.limits
  return sum([await reconcile(services, repo, { collection: FOLLOWS, maxRecords: maxFollows })])
}

/** Blocks, list blocks, and the gates of the author's posts. */
export async function loadBlocks(services: Services, repo: RepoTarget): Promise<RepoJobResult> {
  return sum(await reconcileAll(services, repo, { collections: BLOCKS }))
}

/**
 * Feed generators, starter packs, labeler, declarations and their like. Hardly anybody has more than
 * one or two of these collections, so those that are there are asked for first. Of authors their lists too.
 */
export async function loadRecords(services: Services, repo: RepoTarget): Promise<RepoJobResult> {
  const { collections } = await services.pds.describeRepo(repo)
  const holds = (name: Collection) =>
    heldKeys(services.db, name, { uid: repo.uid, size: 1 }).next().value?.length !== 0
  const wanted = isReadAsAuthor(services, repo.uid)
    ? [...recordCollections, ...LISTS]
    : recordCollections
  const there = wanted.filter((name) => collections.includes(name) || holds(name))
  return sum(await reconcileAll(services, repo, { collections: there }))
}

/** Lists of others are kept where something points at them, and asked for one by one. */
function isReadAsAuthor({ db }: Services, uid: number): boolean {
  return findBackfill(db, uid, 'feed') !== undefined || isJobWaiting(db, 'feed', uid)
}

/**
 * Everything: what we hold becomes what the repository has. Of a member, whole collections; of
 * others, posts, reposts and likes only down to the oldest that we hold.
 */
export async function compareRepo(services: Services, repo: RepoTarget): Promise<RepoJobResult> {
  const { limits } = services
  const isMember = findMember(services.db, repo.uid) !== undefined
  const whole: Collection[] = ['app.bsky.actor.profile', ...BLOCKS, ...LISTS, ...recordCollections]
  return sum([
    await reconcile(services, repo, { collection: FOLLOWS, maxRecords: limits.maxFollows }),
    ...(await reconcileAll(services, repo, { collections: whole })),
    ...(await reconcileAll(services, repo, { collections: FEED, onlyDownToHeld: !isMember })),
  ])
}

async function reconcileAll(
  services: Services,
  repo: RepoTarget,
  what: { collections: Collection[]; onlyDownToHeld?: boolean },
): Promise<Reconciled[]> {
  const results: Reconciled[] = []
  const { onlyDownToHeld } = what
  for (const collection of what.collections) {
    const bounds = { maxRecords: services.limits.maxRecords, onlyDownToHeld }
    results.push(await reconcile(services, repo, { collection, ...bounds }))
  }
  return results
}

function sum(results: Reconciled[]): RepoJobResult {
  const listed = results.reduce((total, one) => total + one.listed, 0)
  const removed = results.reduce((total, one) => total + one.removed, 0)
  const rev = results.find((one) => one.rev !== undefined)?.rev
  return { rev, listed, removed }
}

/** Not the word of the lexicon that nothing follows, but good enough where not all is wanted. */
function isShort({ records, broken }: ListedPage): boolean {
  return records.length + broken.length < MAX_PAGE
}

function lastCreatedAt(page: ListedPage): number {
  const createdAt = Date.parse(String(page.records.at(-1)?.record['createdAt']))
  return Number.isNaN(createdAt) ? Number.POSITIVE_INFINITY : createdAt
}
