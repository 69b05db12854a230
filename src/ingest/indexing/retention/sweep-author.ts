// An account that is no author any more: each of its records is kept only if a stranger's would be, and so is
// what others did to it. What that means for each type, its rules say.

import { GC, putGcCandidate } from '../../../data/store/gc-candidates.ts'
import { allRules, everyRule } from '../collections/all-rules.ts'
import type { IndexContext } from '../index-context.ts'
import { once, type Step } from './step.ts'
import { forgetFetches } from './sweep-account.ts'

export const stepsOfAuthor: readonly Step[] = [
  once(forgetFetches),
  ...everyRule.flatMap(({ release }) => release),
  once(addAccount),
]

/** Of somebody who need not ever have been an author: nothing but their lists is asked about. */
export const stepsOfLists: readonly Step[] = [
  ...allRules['app.bsky.graph.list'].release,
  once(addAccount),
]

function addAccount({ db }: IndexContext, uid: number): void {
  putGcCandidate(db, GC.account, uid)
}
