// Takes in the pages of a walk, wherever they come from. Of a page with records that do not hash to their CIDs
// the valid ones are taken, and the walk continues to its end; then the job fails with `mismatched` and is
// retried, up to a limit.

import type { RepoTarget } from './pds-client.ts'
import { PdsError } from './pds-error.ts'
import type { ListedPage, ListingEnd, Walk } from './walk.ts'

type Intake = {
  /** Keys so far. */
  readonly listed: number
  /** No more may be taken. */
  readonly isSpent: boolean
  /** @returns whether the caller has enough, if pages come by falling key */
  add(page: ListedPage): Promise<boolean>
  /** @throws PdsError `mismatched` */
  end(how: Omit<ListingEnd, 'listed'>): ListingEnd
}

export function createIntake(repo: RepoTarget, walk: Walk): Intake {
  let listed = 0
  let mismatched = 0
  let isSpent = false
  return {
    get listed() {
      return listed
    },
    get isSpent() {
      return isSpent
    },
    async add(listedPage) {
      const taken = walk.take?.(listedPage) ?? { page: listedPage, isSpent: false }
      const page = { ...taken.page, fetchedAt: listedPage.fetchedAt }
      await walk.onPage(page)
      listed += page.keys.length
      mismatched += page.mismatched
      isSpent ||= taken.isSpent
      return walk.isEnough?.(page) ?? false
    },
    end(how) {
      if (mismatched === 0 || repo.leavesOutMismatched) return { ...how, listed }
      const what = `${mismatched} records of ${walk.collection}`
      throw new PdsError('mismatched', `${repo.pds} sent ${what} that do not hash to their CIDs`)
    },
  }
}

/** The page with these of its keys only. */
export function onlyNew(page: ListedPage, fresh: string[]): ListedPage {
  if (fresh.length === page.keys.length) return page
  const retained = new Set(fresh)
  return {
    ...page,
    keys: fresh,
    records: page.records.filter(({ rkey }) => retained.has(rkey)),
    broken: page.broken.filter((rkey) => retained.has(rkey)),
  }
}

/** The page by falling key. */
export function newestFirst(page: ListedPage): ListedPage {
  const down = (a: string, b: string) => (a < b ? 1 : -1)
  return {
    ...page,
    keys: page.keys.toSorted(down),
    records: page.records.toSorted((a, b) => down(a.rkey, b.rkey)),
  }
}
