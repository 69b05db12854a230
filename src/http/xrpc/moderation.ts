// What moderators may do by XRPC, as the reference offers it behind its administrator's password: to whoever
// has the operator's token, and to the operator's moderation services.

import type { ModerationDecision } from '../../bridge/messages.ts'
import type { Db } from '../../data/store/db.ts'
import { findTakedown } from '../../data/store/takedowns.ts'

export type Moderation = {
  /** Resolves when it is committed and visible. @throws an Error named ModerationError */
  decide(decision: ModerationDecision): Promise<unknown>
  /** The takedown's ref; undefined where the subject is not hidden by us. */
  refOf(subject: string): string | undefined
}

export function createModeration(db: Db, decide: Moderation['decide']): Moderation {
  return { decide, refOf: (subject) => findTakedown(db, subject)?.ref }
}

/** Where nobody writes. */
export async function refuseDecisions(): Promise<never> {
  throw new Error('nothing can be decided here')
}
