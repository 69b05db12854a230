// Labelers that are met for the first time: looked up, given a row, and asked what was wanted of them
// meanwhile. So many at once and no more; the rest is asked again when it is named again.

import { nameLabeler } from '../../data/store/labelers.ts'
import { fetchMissing } from '../indexing/fetch-missing.ts'
import { internActor } from '../indexing/index-context.ts'
import { findLabeler } from './labeler-identity.ts'
import type { LabelsParts } from './labels-parts.ts'

type FirstLookups = {
  /** Whether one more can be looked up, and this one is not. */
  mayMeet(did: string): boolean
  /** @param by - DID of the member who named it; none where the operator did. */
  meet(did: string, by?: string): Promise<void>
  /** To be asked of it once it was met; of others nothing is kept. */
  want(did: string, subjects: readonly string[]): void
  stop(): void
}

const MAX_AT_ONCE = 20

export function createFirstLookups(
  parts: LabelsParts,
  onMet: (did: string, subjects: readonly string[]) => void,
): FirstLookups {
  const { actors, limits, now, writeRetry, writer } = parts
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
    const identity = await findLabeler(parts.resolver, did)
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
      for (const one of waiting ? subjects : []) {
        if (waiting!.size < limits.maxSubjectsWaiting) waiting!.add(one)
      }
    },
    stop() {
      isStopped = true
    },
  }
}
