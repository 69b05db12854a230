// Labelers named for the first time: looks them up, gives them a row, and then queries the subjects gathered
// meanwhile. The number of concurrent lookups is limited; the others are looked up when they are named again.

import { nameLabeler } from '../../data/store/moderation/labelers.ts'
import { findLabeler } from '../../sources/identity/labeler-identity.ts'
import { fetchMissing } from '../indexing/fetch-missing.ts'
import { internActor } from '../indexing/index-context.ts'
import type { LabelsContext } from './labels-context.ts'

type FirstLookups = {
  /** Whether there is room for another lookup and this labeler is not being looked up already. */
  mayMeet(did: string): boolean
  /** @param by - DID of the member who named it; absent for the operator's labelers. */
  meet(did: string, by?: string): Promise<void>
  /** Subjects to query once the labeler is found; ignored unless it is being looked up. */
  want(did: string, subjects: readonly string[]): void
  stop(): void
}

const MAX_AT_ONCE = 20

export function createFirstLookups(
  context: LabelsContext,
  onMet: (did: string, subjects: readonly string[]) => void,
): FirstLookups {
  const { actors, limits, now, writeRetry, writer } = context
  const subjectsOf = new Map<string, Set<string>>()
  let isStopped = false

  function write(did: string, by: string | undefined): void {
    writer.commit((ctx) => {
      const namedBy = by === undefined ? 0 : actors.uidOf(by)
      nameLabeler(ctx.db, internActor(ctx, did), now(), namedBy === 0 ? null : namedBy)
      fetchMissing(ctx, { uris: [`at://${did}/app.bsky.labeler.service/self`], dids: [did] })
    })
  }

  async function meetIfThereIsOne(did: string, by: string | undefined): Promise<boolean> {
    const identity = await findLabeler(context.resolver, did)
    if (!identity || isStopped) return false
    await writeRetry.retry(() => write(did, by))
    return !isStopped
  }

  return {
    mayMeet: (did) => !subjectsOf.has(did) && subjectsOf.size < MAX_AT_ONCE,
    async meet(did, by) {
      const subjects = new Set<string>()
      subjectsOf.set(did, subjects)
      const isMet = await meetIfThereIsOne(did, by).finally(() => subjectsOf.delete(did))
      if (isMet) onMet(did, [...subjects])
    },
    want(did, subjects) {
      const waiting = subjectsOf.get(did)
      for (const value of waiting ? subjects : []) {
        if (waiting!.size < limits.maxSubjectsWaiting) waiting!.add(value)
      }
    },
    stop() {
      isStopped = true
    },
  }
}
