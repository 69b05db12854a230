// The feed: what people like now who liked what the reader liked; for a reader without likes, what those they
// follow like, then what members like. Choices are made once for a session, best first.

import type { Viewer } from '../../answers/hydrate/types.ts'
import { didOfUri } from '../../base/atproto/at-uri.ts'
import { XRPCError } from '../../base/atproto/xrpc-error.ts'
import { HOUR_MS } from '../../base/util/durations.ts'
import { LruMap } from '../../base/util/lru.ts'
import { inLaterTurn, inTurn, sharingTurns } from '../../base/util/turn.ts'
import type { ServeContext } from '../../http/feature.ts'
import { notRecommendedTo } from '../../http/xrpc/accounts/not-recommended.ts'
import type {
  Choices,
  FeedRequest,
  Interaction,
  OwnFeed,
  Waiting,
} from '../../http/xrpc/feeds/own-feeds.ts'
import { lookupsFor } from '../../http/xrpc/strangers/outside-shares.ts'
import type { State } from './engine/layout.ts'
import { authorOfPost, hashOfPost, keyOfPost } from './engine/posts.ts'
import { type Candidate, createScratch, likingNow, recommending } from './engine/recommend.ts'
import { SKELETON } from './generator.ts'
import { hashOfUri, uriOf } from './post-keys.ts'
import { createReaderLikes, likesHeard } from './reader-likes.ts'
import { ofFollows, ofMembers, withReason } from './reasons.ts'
import { askWriter } from './requests.ts'
import { type Choice, createSessions, cursorOf, type Session } from './sessions.ts'
import { lessOf, MOST_TIMES, NONE_OF, seenBy } from './store/readers.ts'
import { createJudge, mutedWordsIn } from './suiting.ts'
import { followedVoters, memberVoters, slotOf } from './voters.ts'

type Dependencies = Pick<ServeContext, 'db' | 'actors' | 'graph' | 'writer' | 'log'> & {
  app: Pick<ServeContext['app'], 'preferencesOf' | 'itemsByUri' | 'quotas'>
  isMember: ServeContext['isMember']
  serviceAuth: ServeContext['serviceAuth']
  state: State
  addresses: OwnFeed['addresses']
  service: OwnFeed['service']
  now: () => number
}

/** Candidates of a session, before the rules. */
const MAX_CHOICES = 400
/** With fewer, what follows and members like comes behind. */
const FEWEST_CHOICES = 100
const MOST_OF_AN_AUTHOR = 6
/** Choices offered for each post that a page may show. */
const SPARE = 2
const MAX_READERS = 1000
const DEFINED_BY = 'app.bsky.feed.defs#'
const LESS = `${DEFINED_BY}requestLess`
const SEEN = `${DEFINED_BY}interactionSeen`
/** Of our own; in place of the lexicon's, which has no such wish. */
const NOT_THIS_AUTHOR = 'io.slipstream.feed.defs#notThisAuthor'

type ForYouFeed = OwnFeed & { counts: { pages: number; firstPages: number; empty: number } }

export function createForYouFeed(parts: Dependencies): ForYouFeed {
  const { db, state, writer, log, now } = parts
  const sessions = createSessions()
  const scratch = createScratch()
  const alone = createAlone()
  const likesOf = createReaderLikes(parts)
  const readers = new LruMap<string, number>(MAX_READERS)
  const counts = { pages: 0, firstPages: 0, empty: 0 }

  async function begin(viewer: Viewer): Promise<Session | undefined> {
    const choices = await alone(() => sharingTurns(choicesFor(viewer)))
    if (viewer && parts.isMember(viewer.did)) tellReads(viewer.did)
    if (choices.length === 0) return undefined
    return sessions.begin(viewer?.did, choices)
  }

  function* choicesFor(viewer: Viewer): Generator<void, Choice[]> {
    const uid = viewer?.uid ?? 0
    const seen = uid === 0 ? new Set<number>() : seenBy(db, uid)
    const reader = viewer ? slotOf(state, viewer.did) : -1
    const own =
      viewer && parts.isMember(viewer.did) ? yield* likesOf(uid, state) : likesHeard(state, reader)
    yield
    const liked = new Set(own.map(({ post }) => post))
    const isNew = ({ post }: Candidate) =>
      !liked.has(post) && !seen.has(hashOfPost(keyOfPost(state, post)))
    const options = { liked: own, limit: MAX_CHOICES, reader }
    const found = yield* recommending(state, scratch, options)
    yield
    const choices = chosen(found.filter(isNew), withReason)
    for (const { users, reason } of standIns(parts, uid)) {
      if (choices.length >= FEWEST_CHOICES) break
      const known = new Set(choices.map(({ uri }) => uri))
      const voters = { users: users(), limit: MAX_CHOICES }
      const further = yield* likingNow(state, scratch, voters)
      choices.push(...chosen(further.filter(isNew), reason).filter(({ uri }) => !known.has(uri)))
    }
    return choices
  }

  /** A few of each author. */
  function chosen(
    candidates: readonly Candidate[],
    reason: (candidate: Candidate) => string,
  ): Choice[] {
    const byAuthor = new Map<number, number>()
    return candidates.flatMap((candidate) => {
      const author = authorOfPost(state, candidate.post)
      const before = byAuthor.get(author) ?? 0
      byAuthor.set(author, before + 1)
      if (before >= MOST_OF_AN_AUTHOR) return []
      return [{ uri: uriOf(keyOfPost(state, candidate.post)), reason: reason(candidate) }]
    })
  }

  /** Once an hour, so that likes from before this server listened count, too. */
  function tellReads(did: string): void {
    if (now() - (readers.get(did) ?? 0) < HOUR_MS) return
    readers.set(did, now())
    tell(did, { kind: 'for-you/reads', body: {} })
  }

  function tell(
    ...[did, request]: Parameters<typeof askWriter> extends [unknown, ...infer R] ? R : never
  ) {
    askWriter(writer, did, request).catch((err: unknown) => {
      log.warn({ err }, 'For You could not note what a member has seen')
    })
  }

  const feed: ForYouFeed = {
    counts,
    addresses: parts.addresses,
    service: parts.service,
    async choose({ viewer, limit, cursor, languages }: FeedRequest) {
      const at = sessions.at(cursor, viewer?.did)
      const session = at?.session ?? (await begin(viewer))
      counts.pages++
      if (!at) counts.firstPages++
      if (!session) {
        counts.empty++
        return undefined
      }
      const start = at?.start ?? 0
      const offered = session.choices.slice(start, start + limit * SPARE)
      const feed = offered.map(({ uri, reason }) => ({ post: uri, feedContext: reason }))
      return {
        feed,
        reqId: session.id,
        judge: createJudges(parts, { viewer, session, languages }),
        cursorBehind(count) {
          const next = start + count
          return next < session.choices.length ? cursorOf(session, next) : undefined
        },
      }
    },
    visible(viewer, uris, limit) {
      // One post is what a client asks for to see whether there is something new.
      if (!viewer || limit === 1) return
      const posts = uris.map(hashOfUri).filter((hash) => hash !== undefined)
      tell(viewer.did, { kind: 'for-you/seen', body: { posts } })
    },
    async skeleton({ token, limit, cursor, languages }, call) {
      const viewer = await readerOf(parts, token, call)
      const request = { viewer, limit, cursor, languages }
      const choices = await inTurn(call, () => feed.choose(request))
      return choices ? inTurn(call, () => fitting(choices, request)) : { feed: [] }
    },
    heed: (viewer, interactions) => heed(parts, viewer, interactions),
  }

  /** Without what the reader should not be recommended. */
  function fitting(choices: Choices, { viewer, limit }: FeedRequest) {
    const items = parts.app.itemsByUri(
      choices.feed.map(({ post }) => ({ post, repost: undefined })),
    )
    const judge = choices.judge(items.map(({ item }) => item))
    const authors = choices.feed.map(({ post }) => parts.actors.uidOf(didOfUri(post)))
    const hidden = notRecommendedTo(parts, viewer?.uid ?? 0, new Set(authors))
    const fit: (typeof choices.feed)[number][] = []
    let read = 0
    for (; read < items.length && fit.length < limit; read++) {
      const { item } = items[read]!
      // A post that is not here is for the reader's own server to judge, but for its author's wish.
      const isFit =
        item === 0 ? !hidden.has(authors[read]!) : judge.suits(item) && judge.takesTurn(item)
      if (isFit) fit.push(choices.feed[read]!)
    }
    return { feed: fit, cursor: choices.cursorBehind(read) }
  }
  return feed
}

/** Runs one work after another, each within its own call's turns: they share one scratch. */
function createAlone() {
  let running: Promise<unknown> | undefined
  return function alone<T>(work: () => T | Promise<T>): T | Promise<T> {
    if (running) return running.then(inLaterTurn(() => alone(work)))
    const done = work()
    if (done instanceof Promise) {
      running = done.then(noMatter, noMatter).then(() => {
        running = undefined
      })
    }
    return done
  }
}

const noMatter = () => undefined

/** @throws XRPCError AuthRequired if the token is none of a reader for this method */
async function readerOf(
  { actors, app, serviceAuth }: Dependencies,
  token: string | undefined,
  by: Waiting,
): Promise<Viewer> {
  if (token === undefined) return undefined
  const asker = lookupsFor(app, by)
  const proof = await serviceAuth.verify(token, SKELETON, { asker }).catch((cause: unknown) => {
    throw new XRPCError(401, 'AuthRequired', 'the token is not valid for this method', { cause })
  })
  return { uid: actors.uidOf(proof.did), did: proof.did }
}

/** Whose likes fill a page up, if the reader's own lead to too little. */
function standIns(parts: Dependencies, uid: number) {
  const { state } = parts
  const follows = {
    users: () => (uid === 0 ? [] : followedVoters(parts, state, uid)),
    reason: ofFollows,
  }
  return [follows, { users: () => memberVoters(parts, state, uid), reason: ofMembers }]
}

/** What the reader wants less of and mutes is read once for all parts of a page. */
function createJudges(
  { db, graph, app, now }: Dependencies,
  { viewer, session, languages }: Pick<FeedRequest, 'viewer' | 'languages'> & { session: Session },
) {
  const reader = viewer?.uid ?? 0
  const less = reader === 0 ? new Map<number, number>() : lessOf(db, reader)
  const mutedWords = reader === 0 ? [] : mutedWordsIn(app.preferencesOf(reader), now())
  const without = (author: number) => (less.get(author) ?? 0) >= NONE_OF
  const about = { db, graph, reader, session, languages, mutedWords, without }
  return (items: readonly number[]) => createJudge(about, items)
}

async function heed(
  { db, actors, writer }: Pick<Dependencies, 'db' | 'actors' | 'writer'>,
  { uid, did }: NonNullable<Viewer>,
  interactions: readonly Interaction[],
): Promise<void> {
  const of = (event: string) => interactions.filter((interaction) => interaction.event === event)
  const isNotified = [...of(SEEN), ...of(LESS), ...of(NOT_THIS_AUTHOR)]
  const posts = isNotified.map(({ item }) => hashOfUri(item)).filter((hash) => hash !== undefined)
  if (posts.length > 0) await askWriter(writer, did, { kind: 'for-you/seen', body: { posts } })
  for (const [event, times] of [
    [LESS, 1],
    [NOT_THIS_AUTHOR, NONE_OF],
  ] as const) {
    const authors = new Set(of(event).map(({ item }) => didOfUri(item)))
    if (authors.size === 0) continue
    const less = lessOf(db, uid)
    for (const author of authors) {
      const before = less.get(actors.uidOf(author)) ?? 0
      const body = { author, times: Math.min(before + times, MOST_TIMES) }
      await askWriter(writer, did, { kind: 'for-you/less', body })
    }
  }
}
