// The pages of accounts that nobody here follows, where no public AppView is asked: nothing of theirs came here,
// and an empty page would read like a fact. When a member opens one, the newest posts are asked for from the
// account's PDS (fetch-requests.ts) and waited for: once in a while, since they are not kept up with afterwards.

import type { ActorReader } from '../../data/graph/types.ts'
import type { UnderWay } from '../../data/store/read/under-way.ts'
import type { NamedActor } from './actor-names.ts'
import type { FetchRequests } from './fetch-requests.ts'
import { createWaits } from './waits.ts'
import { whenAsked } from './when-asked.ts'

export type StrangersPages = {
  /** Whether the account's posts are fetched when somebody opens its page, rather than kept all the time. */
  isFetched(account: NamedActor): boolean
  /** Waits until the newest posts are here, can't be had, or time is up. */
  awaited(account: NamedActor, request: { viewer: Reader; signal: AbortSignal }): Promise<void>
}

type Reader = { uid: number; did: string }

type Parts = {
  actors: Pick<ActorReader, 'uidOf'>
  underWay: Pick<UnderWay, 'page'>
  fetchRequests: Pick<FetchRequests, 'ask'>
  /** Whether the account's posts come here by themselves, or are asked for elsewhere. */
  isKept: (uid: number) => boolean
}

/** A profile's screen shows that it is loading until then. */
export const PAGE_MAX_WAIT_MS = 4_000

export function createStrangersPages(parts: Parts): StrangersPages {
  const { actors, isKept, underWay, fetchRequests } = parts
  const waits = createWaits()

  return {
    isFetched: ({ uid }) => !isKept(uid),
    async awaited({ did, uid }, { viewer, signal }) {
      const page = `at://${did}/app.bsky.feed.post`
      const asked = fetchRequests.ask(viewer, { uris: [page], dids: uid === 0 ? [did] : [] })
      const isThere = whenAsked(asked, () => underWay.page(actors.uidOf(did)))
      await Promise.resolve() // by then it shows where it was asked for before
      await waits.awaited([page], {
        ...{ isThere, isShared: true },
        maxWaitMs: PAGE_MAX_WAIT_MS,
        signal,
      })
    },
  }
}
