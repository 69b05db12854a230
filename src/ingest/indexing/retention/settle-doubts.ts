// Works off doubts, a bounded piece of work at a time, inside the caller's transaction. Who has become needed
// again meanwhile is left alone; what is done stays done, and a restart goes on with the rest.

import {
  DOUBT,
  type Doubt,
  findDoubt,
  nextDoubt,
  removeDoubt,
  setDoubtReached,
} from '../../../data/store/doubts.ts'
import { type IndexContext, isAuthor, isMember } from '../index-context.ts'
import { settleAccount } from './settle-account.ts'
import { stepsAround } from './settle-around.ts'
import { stepsOfAuthor, stepsOfLists } from './settle-author.ts'
import { privateSteps, stepsOfMember } from './settle-member.ts'
import { settlePost } from './settle-post.ts'
import { once, type Step } from './step.ts'

type Way = {
  steps: readonly Step[]
  /** Whether there is no doubt any more. */
  isOver: (ctx: IndexContext, id: number) => boolean
}

const never = () => false

const isNeeded = (ctx: IndexContext, uid: number) =>
  ctx.keptScope === 'network' || isAuthor(ctx, uid)

const ways: Record<Doubt['kind'], Way> = {
  [DOUBT.member]: { steps: stepsOfMember, isOver: isMember },
  [DOUBT.author]: { steps: stepsOfAuthor, isOver: isNeeded },
  [DOUBT.around]: { steps: stepsAround, isOver: (ctx) => ctx.keptScope === 'network' },
  [DOUBT.post]: { steps: [once(settlePost)], isOver: never },
  [DOUBT.account]: { steps: [once(settleAccount)], isOver: never },
  [DOUBT.lists]: { steps: stepsOfLists, isOver: isNeeded },
}

/** Counted as much as they are likely to cost: a page of a step, or a post or account. */
const COST = { page: 20, single: 1 }

/**
 * @param cost - about how many single posts or accounts it is to be worth
 * @param isTimeOver - asked after each step
 * @returns whether any doubt is left
 */
export function settleDoubts(
  ctx: IndexContext,
  cost: number,
  isTimeOver: () => boolean = () => false,
): boolean {
  // It did happen; we only give up knowing of it. What others counted (data/store/earlier-counts.ts) still has it.
  ctx.happenedAt = 0
  for (let left = cost; left > 0; ) {
    const doubt = nextDoubt(ctx.db)
    if (!doubt) return false
    takeStep(ctx, doubt)
    if (isTimeOver()) break
    left -= ways[doubt.kind].steps.length === 1 ? COST.single : COST.page
  }
  return nextDoubt(ctx.db) !== undefined
}

/** A former member is back before all was done: what they had kept here goes now. */
export function finishPrivateRemoval(ctx: IndexContext, uid: number): void {
  if (!findDoubt(ctx.db, DOUBT.member, uid)) return
  for (const step of privateSteps) while (step(ctx, uid, null) !== undefined);
  removeDoubt(ctx.db, DOUBT.member, uid)
}

function takeStep(ctx: IndexContext, { kind, id, step, reached }: Doubt): void {
  const { steps, isOver } = ways[kind]
  const isLast = step === steps.length - 1
  if (step >= steps.length || isOver(ctx, id)) return removeDoubt(ctx.db, kind, id)
  // Before, so that a doubt that the step itself casts on it stays.
  if (isLast) removeDoubt(ctx.db, kind, id)
  const goesOn = steps[step]!(ctx, id, reached)
  if (goesOn !== undefined) setDoubtReached(ctx.db, { kind, id, step, reached: goesOn })
  else if (!isLast) setDoubtReached(ctx.db, { kind, id, step: step + 1, reached: null })
}
