// The jobs that read collections of a repository: an author's whole follow list, blocks and gates, and the
// collections with few records.

import type { Collection } from '../../base/atproto/collections.ts'
import { findBackfill } from '../../data/store/fetching/backfills.ts'
import { isJobWaiting } from '../../data/store/fetching/job-schedule.ts'
import { findMember } from '../../data/store/members/members.ts'
import type { RepoTarget } from '../../sources/pds/pds-client.ts'
import { PdsError } from '../../sources/pds/pds-error.ts'
import { allRules, collectionsReadWith } from '../indexing/collections/all-rules.ts'
import { type Reconciled, reconcile } from './reconcile.ts'
import { type Cut, withinBudget } from './within-budget.ts'
import type { Services } from './work.ts'

const TIES: Collection[] = ['app.bsky.graph.block', 'app.bsky.graph.listblock']
/** What the server said of the repository is unusable, but listings may not be. */
const UNTOLD = new Set(['bad-answer', 'not-found', 'unreachable'])

export type RepoJobResult = {
  rev: string | undefined
  listed: number
  removed: number
  /** Our records that were not checked, since there are too many. */
  unchecked?: number
  cut?: Cut
}

/** Loads the whole follow list. */
export async function loadFollows(services: Services, repo: RepoTarget): Promise<RepoJobResult> {
  const { maxFollows, maxAuthorFollows } = services.limits
  const maxRecords = findMember(services.db, repo.uid) ? maxFollows : maxAuthorFollows
  return sum([await reconcile(services, repo, { collection: 'app.bsky.graph.follow', maxRecords })])
}

/** Loads blocks, list blocks, and the gates of the author's posts. */
export async function loadBlocks(services: Services, repo: RepoTarget): Promise<RepoJobResult> {
  return reconcileAll(services, repo, { collections: collectionsReadWith('blocks') })
}

/**
 * Loads a stranger's blocks, of which those of accounts followed here are kept: they were made before anything of the
 * stranger was here. Most accounts have none, so it first asks.
 */
export async function loadTies(services: Services, repo: RepoTarget): Promise<RepoJobResult> {
  const mayExist = await findCollections(services, repo)
  const collections = TIES.filter((name) => mayExist(name) || holds(services, repo, name))
  return reconcileAll(services, repo, {
    collections,
    maxRecords: services.limits.maxStrangersBlocks,
  })
}

/**
 * Loads feed generators, starter packs, labeler, declarations and the like. Hardly any account has
 * more than one or two of these collections, so it first asks which exist. For authors, lists too.
 */
export async function loadRecords(services: Services, repo: RepoTarget): Promise<RepoJobResult> {
  const mayExist = await findCollections(services, repo)
  const records = collectionsReadWith('records')
  const sought = isReadAsAuthor(services, repo.uid)
    ? [...records, ...collectionsReadWith('lists')]
    : records
  const there = sought.filter((name) => mayExist(name) || holds(services, repo, name))
  return reconcileAll(services, repo, { collections: there })
}

/**
 * Tells which collections the repository has; all, if its server fails to say: arroba does whenever
 * it can't reach the directory.
 */
export async function findCollections(
  { pds }: Services,
  repo: RepoTarget,
): Promise<(name: Collection) => boolean> {
  try {
    const { collections } = await pds.describeRepo(repo)
    return (name) => collections.includes(name)
  } catch (error) {
    if (error instanceof PdsError && UNTOLD.has(error.reason)) return () => true
    throw error
  }
}

/** Whether any of the account's records in this collection are here. */
export function holds({ db }: Services, { uid }: RepoTarget, collection: Collection): boolean {
  const [page] = allRules[collection].storedKeys(db, { uid, size: 1 })
  return page !== undefined && page.length > 0
}

/** Other accounts' lists are kept if something references them, and requested one by one. */
function isReadAsAuthor({ db }: Services, uid: number): boolean {
  return findBackfill(db, uid, 'feed') !== undefined || isJobWaiting(db, 'feed', uid)
}

async function reconcileAll(
  services: Services,
  repo: RepoTarget,
  what: { collections: Collection[]; maxRecords?: number },
): Promise<RepoJobResult> {
  const results: Reconciled[] = []
  const budget = withinBudget(services, repo)
  const { maxRecords = services.limits.maxRecords } = what
  for (const collection of what.collections) {
    results.push(
      await reconcile(services, repo, {
        collection,
        maxRecords,
        take: budget.take,
      }),
    )
  }
  return { ...sum(results), cut: budget.cut }
}

export function sum(results: Reconciled[]): RepoJobResult {
  const listed = results.reduce((total, value) => total + value.listed, 0)
  const removed = results.reduce((total, value) => total + value.removed, 0)
  const unchecked = results.reduce((total, value) => total + value.unchecked, 0)
  const rev = results.find((result) => result.rev !== undefined)?.rev
  return { rev, listed, removed, unchecked }
}
