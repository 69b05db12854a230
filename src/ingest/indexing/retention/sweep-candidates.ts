// Sweeps candidates, a bounded amount of work at a time, inside the caller's transaction. Subjects that are
// needed again meanwhile are left alone; finished work is not repeated, and a restart continues with the
// rest.

import {
  findGcCandidate,
  GC,
  type GcCandidate,
  nextGcCandidate,
  removeGcCandidate,
  setGcReached,
} from '../../../data/store/removal/gc-candidates.ts'
import { type IndexContext, isAuthor, isMember } from '../index-context.ts'
import { once, type Step } from './step.ts'
import { sweepAccount } from './sweep-account.ts'
import { stepsAround } from './sweep-around.ts'
import { stepsOfAuthor, stepsOfLists } from './sweep-author.ts'
import { privateSteps, stepsOfMember } from './sweep-member.ts'
import { sweepPost } from './sweep-post.ts'

type Way = {
  steps: readonly Step[]
  /** Whether the subject is no candidate any more. */
  isOver: (ctx: IndexContext, id: number) => boolean
}

const never = () => false

const isNeeded = (ctx: IndexContext, uid: number) =>
  ctx.storedScope === 'network' || isAuthor(ctx, uid)

const ways: Record<GcCandidate['kind'], Way> = {
  [GC.member]: { steps: stepsOfMember, isOver: isMember },
  [GC.author]: { steps: stepsOfAuthor, isOver: isNeeded },
  [GC.around]: { steps: stepsAround, isOver: (ctx) => ctx.storedScope === 'network' },
  [GC.post]: { steps: [once(sweepPost)], isOver: never },
  [GC.account]: { steps: [once(sweepAccount)], isOver: never },
  [GC.lists]: { steps: stepsOfLists, isOver: isNeeded },
}

/** Estimated cost of a step's page, and of a single post or account. */
const COST = { page: 20, single: 1 }

/**
 * @param cost - rough budget, in single posts or accounts
 * @param isTimeOver - asked after each step
 * @returns whether any candidate is left
 */
export function sweepCandidates(
  ctx: IndexContext,
  cost: number,
  isTimeOver: () => boolean = () => false,
): boolean {
  // The dropped records did exist; we only stop storing them. Counts from elsewhere
  // (data/store/counts/seed-counts.ts) still include them.
  ctx.happenedAt = 0
  for (let left = cost; left > 0; ) {
    const candidate = nextGcCandidate(ctx.db)
    if (!candidate) return false
    takeStep(ctx, candidate)
    if (isTimeOver()) break
    left -= ways[candidate.kind].steps.length === 1 ? COST.single : COST.page
  }
  return nextGcCandidate(ctx.db) !== undefined
}

/** Removes the rest of a returning former member's private state now. */
export function finishPrivateRemoval(ctx: IndexContext, uid: number): void {
  if (!findGcCandidate(ctx.db, GC.member, uid)) return
  for (const step of privateSteps) while (step(ctx, uid, null) !== undefined);
  removeGcCandidate(ctx.db, GC.member, uid)
}

function takeStep(ctx: IndexContext, { kind, id, step, reached }: GcCandidate): void {
  const { steps, isOver } = ways[kind]
  const isLast = step === steps.length - 1
  if (step >= steps.length || isOver(ctx, id)) return removeGcCandidate(ctx.db, kind, id)
  // Removed before the step, so that a candidate that the step itself adds stays.
  if (isLast) removeGcCandidate(ctx.db, kind, id)
  const goesOn = steps[step]!(ctx, id, reached)
  if (goesOn !== undefined) setGcReached(ctx.db, { kind, id, step, reached: goesOn })
  else if (!isLast) setGcReached(ctx.db, { kind, id, step: step + 1, reached: null })
}
