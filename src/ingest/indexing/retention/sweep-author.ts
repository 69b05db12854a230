// Sweeps a former author: each of its records is kept only if a stranger's would be, and so are others'
// reactions to it. The rules of each record type define the steps.

import { GC, putGcCandidate } from '../../../data/store/removal/gc-candidates.ts'
import { allRules, everyRule } from '../collections/all-rules.ts'
import type { IndexContext } from '../index-context.ts'
import { once, type Step } from './step.ts'
import { forgetFetches } from './sweep-account.ts'

export const stepsOfAuthor: readonly Step[] = [
  once(forgetFetches),
  ...everyRule.flatMap(({ release }) => release),
  once(addAccount),
]

/** Steps for an account that may never have been an author: only its lists are checked. */
export const stepsOfLists: readonly Step[] = [
  ...allRules['app.bsky.graph.list'].release,
  once(addAccount),
]

function addAccount({ db }: IndexContext, uid: number): void {
  putGcCandidate(db, GC.account, uid)
}
