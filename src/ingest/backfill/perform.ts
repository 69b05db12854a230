// Maps each kind of job to its work, given the repository and its PDS.

import type { Job } from '../../data/store/fetching/jobs.ts'
import type { RepoTarget } from '../../sources/pds/pds-client.ts'
import { checkRepo, compareAccount } from './compare-repo.ts'
import { loadFeed, loadLatest, loadOlder, loadPage, loadRecent } from './feed-jobs.ts'
import { startMember } from './member-job.ts'
import { loadAssociated, loadList, loadPost, loadProfile, loadRecord } from './record-jobs.ts'
import { loadBlocks, loadFollows, loadRecords, loadTies, type RepoJobResult } from './repo-jobs.ts'
import type { Services } from './work.ts'

/**
 * Runs the job to its end.
 * @returns figures if something was read in full, to be remembered as loaded
 * @throws PdsError
 */
export async function perform(
  services: Services,
  job: Job,
  repo: RepoTarget,
): Promise<RepoJobResult | undefined> {
  switch (job.kind) {
    case 'member':
      return startMember(services, repo)
    case 'feed':
      return loadFeed(services, repo)
    case 'latest':
      await loadLatest(services, repo)
      return undefined
    case 'recent':
      await loadRecent(services, repo)
      return undefined
    case 'page':
      await loadPage(services, repo)
      return undefined
    case 'older':
      await loadOlder(services, repo)
      return undefined
    case 'follows':
      return loadFollows(services, repo)
    case 'blocks':
      return loadBlocks(services, repo)
    case 'ties':
      return loadTies(services, repo)
    case 'repo':
      return compareAccount(services, repo)
    case 'check':
      await checkRepo(services, repo)
      return undefined
    case 'profile':
      return loadProfile(services, repo)
    case 'post':
      await loadPost(services, repo, job.subject)
      return undefined
    case 'list':
      await loadList(services, repo, job.subject)
      return undefined
    case 'records':
      return loadRecords(services, repo)
    case 'record':
      await loadRecord(services, repo, job.subject)
      return undefined
    case 'associated':
      await loadAssociated(services, repo, job.subject)
      return undefined
    case 'author': // handled by the slow lane
    case 'rest':
    case 'identity':
      return undefined // already looked up before the job got here
  }
}
