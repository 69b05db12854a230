// Moderation by XRPC, which the reference offers behind its administrator's password: for callers with the
// operator's token, and for the operator's moderation services.

import type { ModerationDecision } from '../../bridge/messages.ts'
import type { Db } from '../../data/store/db.ts'
import { findTakedown } from '../../data/store/moderation/takedowns.ts'

export type Moderation = {
  /**
   * Resolves when the decision is committed and visible.
   * @throws an Error named ModerationError
   */
  decide(decision: ModerationDecision): Promise<unknown>
  /** The takedown's ref; undefined if this server does not hide the subject. */
  refOf(subject: string): string | undefined
}

export function createModeration(db: Db, decide: Moderation['decide']): Moderation {
  return { decide, refOf: (subject) => findTakedown(db, subject)?.ref }
}

/** For processes without a writer. */
export async function refuseDecisions(): Promise<never> {
  throw new Error('nothing can be decided here')
}
