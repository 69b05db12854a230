// Feeds that this server makes itself. getFeed presents their choices like those of a generator elsewhere: posts
// that are not here are fetched, and what the viewer must not see is left out.

import type { Viewer } from '../../../answers/hydrate/types.ts'
import type { Call } from '../call.ts'

export type FeedRequest = {
  viewer: Viewer
  limit: number
  cursor: string | undefined
  /** Languages that the reader wants to read, as two or three letters; empty: all. */
  languages: readonly string[]
}

/** Of feed items; 0 stands for a post that is not here. */
export type Judge = {
  /** Whether it suits the reader, whatever else the page shows. */
  suits(item: number): boolean
  /** Whether it may be next on the page; then it counts as shown. */
  takesTurn(item: number): boolean
}

export type Choices = {
  /** More than the page needs, best first, since some will not be shown. */
  feed: readonly { post: string; feedContext?: string }[]
  reqId: string
  /** Called with the feed items of some of the choices once missing posts were fetched. */
  judge(items: readonly number[]): Judge
  /** The cursor behind the first so many of them; undefined: nothing follows. */
  cursorBehind(count: number): string | undefined
}

/** app.bsky.feed.defs#interaction, with fields that are checked. */
export type Interaction = { item: string; event: string }

export type OwnFeed = {
  /** At-URIs at which clients find it; they are suggested before all others. */
  addresses: readonly string[]
  /** The service (a DID) that takes readers' feedback. */
  service: string
  /** @returns undefined if it has nothing for this reader */
  choose(request: FeedRequest): Promise<Choices | undefined>
  /** Called with what was shown of the choices, and how many were asked for. */
  visible?(viewer: Viewer, uris: readonly string[], limit: number): void
  /** The choices alone, for other servers; `token`: their reader's service token for this. */
  skeleton?(
    request: Omit<FeedRequest, 'viewer'> & { token: string | undefined },
    by: Waiting,
  ): Promise<{ feed: { post: string; feedContext?: string }[]; cursor?: string | undefined }>
  /** A member's feedback; resolves once it has an effect. */
  heed?(viewer: NonNullable<Viewer>, interactions: readonly Interaction[]): Promise<void>
}

/** The call that waits, and pays. */
export type Waiting = Pick<Call<never>, 'signal' | 'time' | 'who'>

type OwnFeeds = {
  add(feed: OwnFeed): void
  of(uri: string): OwnFeed | undefined
  all(): readonly OwnFeed[]
}

export function createOwnFeeds(): OwnFeeds {
  const feeds: OwnFeed[] = []
  return {
    add: (feed) => void feeds.push(feed),
    of: (uri) => feeds.find((feed) => feed.addresses.includes(uri)),
    all: () => feeds,
  }
}

/** Languages of an accept-language header: `en-GB,de;q=0.7` gives en and de. */
export function languagesOf(header: string | undefined): string[] {
  const tags = (header ?? '').slice(0, 200).split(',')
  return tags.flatMap((tag) => /^\s*([a-z]{2,3})\b/i.exec(tag)?.[1]?.toLowerCase() ?? [])
}
