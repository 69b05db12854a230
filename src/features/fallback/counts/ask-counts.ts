// One request to a public AppView for the counts of up to 25 posts or accounts, and the numbers in its
// answer. The request names only these subjects; of the answer, only whole numbers of a sensible size are
// read, each under the name that was asked for.

import { isObject, type JsonObject } from '../../../base/util/json-object.ts'
import type { PostCounts } from '../../../data/store/posts/post-counts.ts'
import type { ActorCounts } from '../../../data/store/records/actors.ts'
import { requestedPauseMs } from '../../../sources/circuit-breaker.ts'
import type { GuardedFetch } from '../../../sources/identity/guarded-fetch.ts'
import { restInBackgroundMs } from '../../../sources/quota.ts'
import { parseObject } from '../appview/json.ts'

/** The methods' maximum. */
export const MAX_REQUESTED = 25

export type CountsAnswer<Counts> =
  /** Only subjects that the AppView shows. */
  | { is: 'answered'; counts: Map<string, Counts>; restMs: number }
  /** This host will never answer this request. */
  | { is: 'senseless' }
  /** The host lacks the method, or requires authentication for it. */
  | { is: 'refused' }
  | { is: 'failed'; retryAfterMs: number | undefined }

export type CountsAsker = {
  /** By at-URI with a DID. */
  posts(uris: readonly string[]): Promise<CountsAnswer<PostCounts>>
  /** By DID. */
  actors(dids: readonly string[]): Promise<CountsAnswer<ActorCounts>>
}

/** Enough for an account that everyone follows, with room to spare. */
const MAX_COUNT = 10 ** 9
const MAX_BYTES = 2 << 20
const TIMEOUT_MS = 10_000
const REFUSING = new Set([401, 403, 404, 501])

export function createCountsAsker(
  parts: { origin: string; fetch: GuardedFetch },
  signal: AbortSignal,
): CountsAsker {
  const ask = async <Counts>(
    query: { nsid: string; param: string; names: readonly string[] },
    read: (answer: JsonObject) => Map<string, Counts>,
  ): Promise<CountsAnswer<Counts>> => {
    const given = new URLSearchParams()
    for (const name of query.names) given.append(query.param, name)
    const url = `${parts.origin}/xrpc/${query.nsid}?${given}`
    const headers = { accept: 'application/json' }
    const limits = { maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS, maxRedirects: 0, signal }
    const response = await parts.fetch(url, { headers, ...limits }).catch(() => undefined)
    if (response?.status === 400) return { is: 'senseless' }
    if (response && REFUSING.has(response.status)) return { is: 'refused' }
    const answer = response?.status === 200 ? parseObject(response.body) : undefined
    if (answer) {
      const restMs = restInBackgroundMs(response!.headers, Date.now())
      return { is: 'answered', counts: read(answer), restMs }
    }
    return { is: 'failed', retryAfterMs: requestedPauseMs(response) }
  }
  return {
    posts: (names) =>
      ask({ nsid: 'app.bsky.feed.getPosts', param: 'uris', names }, (answer) =>
        byName(answer['posts'], { names, key: 'uri' }, postCountsOf),
      ),
    actors: (names) =>
      ask({ nsid: 'app.bsky.actor.getProfiles', param: 'actors', names }, (answer) =>
        byName(answer['profiles'], { names, key: 'did' }, actorCountsOf),
      ),
  }
}

function byName<Counts>(
  views: unknown,
  { names, key }: { names: readonly string[]; key: string },
  countsOf: (view: JsonObject) => Counts,
): Map<string, Counts> {
  const requested = new Set(names)
  const found = Array.isArray(views) ? views.filter(isObject) : []
  const known = found.filter((view) => requested.has(String(view[key])))
  return new Map(known.map((view) => [String(view[key]), countsOf(view)]))
}

function postCountsOf(view: JsonObject): PostCounts {
  return {
    likes: count(view['likeCount']),
    reposts: count(view['repostCount']),
    replies: count(view['replyCount']),
    quotes: count(view['quoteCount']),
  }
}

function actorCountsOf(view: JsonObject): ActorCounts {
  return {
    follows: count(view['followsCount']),
    followers: count(view['followersCount']),
    posts: count(view['postsCount']),
  }
}

/** A value that is no count is ignored. */
function count(value: unknown): number {
  const isCount = Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= MAX_COUNT
  return isCount ? Number(value) : 0
}
