// Makes our rows of an account equal to its repository: after a `sync` event, after the account was away or
// moved, and after a gap of the stream in which its repository changed. Members' and authors' repositories
// are listed in full; of others only collections of which we hold records, down to the oldest held. Where a
// listing ends before it covers all held records, because it is long or out of order, the rest is requested
// key by key, newest first, within bounds.

import type { Collection } from '../../base/atproto/collections.ts'
import { revTimeMs } from '../../base/atproto/tid.ts'
import { HOUR_MS } from '../../base/util/durations.ts'
import { findBackfill, putBackfill } from '../../data/store/fetching/backfills.ts'
import { allMembers, findMember } from '../../data/store/members/members.ts'
import { latestRevOf } from '../../data/store/posts/latest-rev.ts'
import { actorStatus } from '../../data/store/records/actors.ts'
import { isFollowing } from '../../data/store/records/follows.ts'
import { isHiddenStatus } from '../../data/store/records/status.ts'
import { sweepingGap } from '../../data/store/stream/gap-repair.ts'
import type { RepoTarget } from '../../sources/pds/pds-client.ts'
import { allRules, collectionsReadWith } from '../indexing/collections/all-rules.ts'
import { isSetBack, type Reconciled, reconcile } from './reconcile.ts'
import { findCollections, holds, type RepoJobResult, sum } from './repo-jobs.ts'
import type { Services } from './work.ts'

const FOLLOWS: Collection = 'app.bsky.graph.follow'
const ORDER = ['profile', 'follows', 'blocks', 'lists', 'records', 'feed'] as const
/** Of these, repositories are compared only if records of them are here. */
const IF_HELD = 'singly'
/** A PDS whose clock is off by more than this may hide a change from us. */
const REV_SLACK_MS = HOUR_MS

/** @throws PdsError */
async function compareRepo(services: Services, repo: RepoTarget): Promise<RepoJobResult> {
  const { db, limits } = services
  const isMember = findMember(db, repo.uid) !== undefined
  const isAuthor = isMember || allMembers(db).some(({ uid }) => isFollowing(db, uid, repo.uid))
  const results: Reconciled[] = []
  for (const collection of await collectionsOf(services, repo, isAuthor)) {
    const onlyDownToStored = !isAuthor || (!isMember && allRules[collection].readWith === 'feed')
    const isNew = onlyDownToStored && isAuthor && !holds(services, repo, collection)
    const bounds = isNew
      ? { maxRecords: limits.feedPosts }
      : {
          maxRecords:
            isMember || (collection === FOLLOWS && isAuthor)
              ? limits.maxFollows
              : limits.maxRecords,
        }
    const onlyNewest = isAuthor && onlyDownToStored
    const what = { collection, ...bounds, onlyNewest, onlyDownToStored: onlyDownToStored && !isNew }
    results.push(await reconcile(services, repo, { ...what, checksRest: true }))
  }
  return sum(results)
}

/** Of one account alone: also whether it is there after all. @throws PdsError */
export async function compareAccount(services: Services, repo: RepoTarget): Promise<RepoJobResult> {
  const { apply, db, pds } = services
  const before = actorStatus(db, repo.uid)
  if (before && isHiddenStatus(before.status) && (await pds.getLatestRev(repo)) !== undefined) {
    apply.served({ did: repo.did, statusAt: before.status_at })
  }
  return compareRepo(services, repo)
}

/**
 * Repairs a gap: compares the repository if it changed since the gap began, which one request
 * tells. @throws PdsError
 */
export async function checkRepo(services: Services, repo: RepoTarget): Promise<void> {
  const { apply, commit, db, now, pds } = services
  const gap = sweepingGap(db)
  if (!gap) return
  const before = actorStatus(db, repo.uid)
  const rev = await pds.getLatestRev(repo)
  if (before && isHiddenStatus(before.status) && rev !== undefined) {
    apply.served({ did: repo.did, statusAt: before.status_at })
  }
  if (rev !== undefined && isUnchanged(services, repo, { rev, sinceMs: gap.fromUs / 1000 })) return
  await compareRepo(services, repo)
  const done = { rev: rev ?? null, finished_at: now() }
  commit((ctx) => putBackfill(ctx.db, repo.uid, 'repo', done))
}

/**
 * A revision whose time is not credible proves nothing, even if it is the one from last time. One
 * before the latest that was seen is of a server that was set back.
 */
function isUnchanged(
  { db, now }: Services,
  { uid }: RepoTarget,
  { rev, sinceMs }: { rev: string; sinceMs: number },
): boolean {
  const timeMs = revTimeMs(rev, now())
  if (timeMs === undefined) return false
  if (isSetBack(latestRevOf(db, uid), rev)) return false
  return timeMs < sinceMs - REV_SLACK_MS || findBackfill(db, uid, 'repo')?.rev === rev
}

/**
 * For authors, collections that the repository has or that we hold; for others, only those that we
 * hold.
 */
async function collectionsOf(
  services: Services,
  repo: RepoTarget,
  isAuthor: boolean,
): Promise<Collection[]> {
  const all = ORDER.flatMap(collectionsReadWith)
  const held = collectionsReadWith(IF_HELD).filter((name) => holds(services, repo, name))
  if (!isAuthor) return [...all.filter((name) => holds(services, repo, name)), ...held]
  const mayExist = await findCollections(services, repo)
  return [...all.filter((name) => mayExist(name) || holds(services, repo, name)), ...held]
}
