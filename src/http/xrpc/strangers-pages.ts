// The pages of accounts that nobody here follows, where no public AppView is asked: nothing of theirs came here,
// and an empty page would read like a fact. When a member opens one, the newest posts are asked for from the
// account's PDS (fetch-requests.ts) and waited for: once in a while, since they are not kept up with afterwards. Whoever
// reads on to where they end has the next page fetched.

import { parseFeedCursor } from '../../answers/skeleton/page-cursor.ts'
import { collectionUri } from '../../base/atproto/at-uri.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import type { UnderWay } from '../../data/store/read/under-way.ts'
import type { NamedActor } from './actor-names.ts'
import type { FetchRequests } from './fetch-requests.ts'
import { createWaits } from './waits.ts'
import { whenAsked } from './when-asked.ts'

type StrangersPages = {
  /** Whether the account's posts are fetched when somebody opens its page, rather than kept all the time. */
  isFetched(account: Pick<NamedActor, 'uid'>): boolean
  /** Down to when a fetched account's posts are here, where there are more; milliseconds since 1970. */
  downTo(uid: number): number | undefined
  /** Waits until the newest posts are here, can't be had, or time is up. */
  awaited(account: NamedActor, request: Request): Promise<void>
  /**
   * Waits likewise for what is older than what is here, where a page goes that far.
   * @param page - where it begins, and whether what is here fills it
   */
  olderAwaited(account: NamedActor, page: Page, request: Request): Promise<void>
}

type Reader = { uid: number; did: string }
type Request = { viewer: Reader; signal: AbortSignal }
type Page = { cursor: string | undefined; isFull: () => boolean }

type Parts = {
  actors: Pick<ActorReader, 'uidOf'>
  underWay: Pick<UnderWay, 'page' | 'readTo'>
  fetchRequests: Pick<FetchRequests, 'ask'>
  /** Whether the account's posts come here by themselves, or are asked for elsewhere. */
  isKept: (uid: number) => boolean
}

const POST = 'app.bsky.feed.post'

/** A profile's screen shows that it is loading until then. */
export const PAGE_MAX_WAIT_MS = 4_000

export function createStrangersPages(parts: Parts): StrangersPages {
  const { actors, isKept, underWay, fetchRequests } = parts
  const waits = createWaits()

  async function whenHere({ did, uid }: NamedActor, page: string, request: Request): Promise<void> {
    const { viewer, signal } = request
    const asked = fetchRequests.ask(viewer, { uris: [page], dids: uid === 0 ? [did] : [] })
    const isThere = whenAsked(asked, () => underWay.page(actors.uidOf(did)))
    await Promise.resolve() // by then it shows where it was asked for before
    const bounds = { maxWaitMs: PAGE_MAX_WAIT_MS, signal }
    await waits.awaited([page], { isThere, isShared: true, ...bounds })
  }

  const downTo = (uid: number) => (uid === 0 || isKept(uid) ? undefined : underWay.readTo(uid))

  return {
    isFetched: ({ uid }) => !isKept(uid),
    downTo,
    awaited: (account, request) => whenHere(account, collectionUri(account.did, POST), request),
    async olderAwaited(account, { cursor, isFull }, request) {
      const before = downTo(actors.uidOf(account.did))
      if (before === undefined || (beginsAbove(before, cursor) && isFull())) return
      await whenHere(account, collectionUri(account.did, POST, before), request)
    },
  }
}

function beginsAbove(time: number, cursor: string | undefined): boolean {
  return cursor === undefined || parseFeedCursor(cursor).sortAt > time
}
