// Pages of accounts that no member follows, where nobody else answers: none of their posts are
// stored, and an empty page would read like a fact. When a member opens one, the newest posts are requested
// from the account's PDS (fetch-requests.ts) and awaited: once in a while, since they are not kept up to date
// afterwards. Reading on past the last stored post fetches the next page.

import { parseFeedCursor } from '../../../answers/skeleton/page-cursor.ts'
import { collectionUri } from '../../../base/atproto/at-uri.ts'
import type { ActorReader } from '../../../data/graph/types.ts'
import type { UnderWay } from '../../../data/store/read/under-way.ts'
import { inTurnOf } from '../../server/wait-left.ts'
import type { NamedActor } from '../naming/actor-names.ts'
import type { FetchRequests } from '../waiting/fetch-requests.ts'
import { createWaits } from '../waiting/waits.ts'
import { whenRequested } from '../waiting/when-requested.ts'

type StrangersPages = {
  /**
   * Whether the account's posts are fetched when a member opens its page, rather than kept all the
   * time.
   */
  isFetched(account: Pick<NamedActor, 'uid'>): boolean
  /**
   * Time down to which a fetched account's posts are stored, if it has older ones; milliseconds
   * since 1970.
   */
  downTo(uid: number): number | undefined
  /** Waits until the newest posts are here, can't be had, or time is up. */
  awaited(account: NamedActor, request: Request): Promise<void>
  /**
   * Likewise waits for older posts, if a page reaches past the stored ones.
   * @param page - where it begins, and whether the stored posts fill it
   */
  olderAwaited(account: NamedActor, page: Page, request: Request): Promise<void>
}

type Reader = { uid: number; did: string }
type Request = { viewer: Reader; signal: AbortSignal }
type Page = { cursor: string | undefined; isFull: () => boolean }

type Dependencies = {
  actors: Pick<ActorReader, 'uidOf'>
  underWay: Pick<UnderWay, 'page' | 'readTo'>
  fetchRequests: Pick<FetchRequests, 'ask'>
  /** Whether the account's posts arrive by themselves, or are requested elsewhere. */
  isStored: (uid: number) => boolean
}

const POST = 'app.bsky.feed.post'

/** Meanwhile the profile's screen shows that it is loading. */
export const PAGE_MAX_WAIT_MS = 4_000

export function createStrangersPages(parts: Dependencies): StrangersPages {
  const { actors, isStored, underWay, fetchRequests } = parts
  const waits = createWaits()

  async function whenHere({ did, uid }: NamedActor, page: string, request: Request): Promise<void> {
    const { viewer, signal } = request
    const requested = fetchRequests.ask(viewer, { uris: [page], dids: uid === 0 ? [did] : [] })
    const isThere = whenRequested(requested, () => underWay.page(actors.uidOf(did)))
    await Promise.resolve() // by then an earlier request is visible
    const bounds = { maxWaitMs: PAGE_MAX_WAIT_MS, signal }
    await waits.awaited([page], { isThere, isShared: true, ...bounds })
  }

  const downTo = (uid: number) => (uid === 0 || isStored(uid) ? undefined : underWay.readTo(uid))

  return {
    isFetched: ({ uid }) => !isStored(uid),
    downTo,
    awaited: (account, request) => whenHere(account, collectionUri(account.did, POST), request),
    async olderAwaited(account, { cursor, isFull }, request) {
      const before = await inTurnOf(request.signal, () => {
        const time = downTo(actors.uidOf(account.did))
        if (time === undefined || (beginsAbove(time, cursor) && isFull())) return undefined
        return time
      })
      if (before === undefined) return
      await whenHere(account, collectionUri(account.did, POST, before), request)
    },
  }
}

function beginsAbove(time: number, cursor: string | undefined): boolean {
  return cursor === undefined || parseFeedCursor(cursor).sortAt > time
}
