// io.slipstream.feed.getKnownLikers, our own method: known likers of up to a hundred posts at once.
// Lexicon: lexicons/io/slipstream/feed/getKnownLikers.json.

import type { KnownLikers } from '../../../../../answers/hydrate/types.ts'
import { inTurns } from '../../../../../base/util/turn.ts'
import { postItem } from '../../../../../data/store/timelines/item-ids.ts'
import type { AppContext } from '../../../app-context.ts'
import type { SignedInCall } from '../../../call.ts'
import { type Needs, query } from '../../../define.ts'
import { postIdOf } from '../../../naming/post-names.ts'
import { neitherBlockedNorMuted } from '../../../paging/present.ts'

type LikersCall = SignedInCall<{ uris: string[]; likers: number }>

const NOBODY: KnownLikers = { count: 0, uids: [] }
/** More than are returned, as blocks and mutes may hide some. */
const READ_LIKERS = 20
/** In one turn: as large as posts may be, the views of more would take long. */
const POSTS_AT_ONCE = 10

export const getKnownLikers = query(
  'io.slipstream.feed.getKnownLikers',
  { auth: 'required' },
  (app, call: LikersCall) => inTurns(answer(app, call)),
)

function* answer(app: AppContext, call: LikersCall): Generator<void, { body: object }> {
  const { uris } = call.params
  const posts: object[] = []
  for (let from = 0; from < uris.length; from += POSTS_AT_ONCE) {
    if (from > 0) yield
    posts.push(...likersOfEach(app, call, uris.slice(from, from + POSTS_AT_ONCE)))
  }
  return { body: { posts } }
}

function likersOfEach(app: AppContext, call: LikersCall, uris: readonly string[]): object[] {
  const ids = uris.map((uri) => postIdOf(app, uri))
  const visible = visiblePosts(app, call, ids)
  const likers = likersOf(app, call, [...visible.keys()])
  const views = profilesOf(app, call, { likers, authors: visible })
  return uris.map((uri, i) => {
    const author = visible.get(ids[i]!)
    if (author === undefined) return notFoundPost(uri)
    const { count, uids } = likers.get(ids[i]!) ?? NOBODY
    const actors = uids.map((uid) => views(author, uid)).filter((view) => view !== undefined)
    return { $type: TYPE, uri, count, actors: actors.slice(0, call.params.likers) }
  })
}

const TYPE = 'io.slipstream.feed.getKnownLikers#postLikers'

function notFoundPost(uri: string): object {
  return { $type: 'app.bsky.feed.defs#notFoundPost', uri, notFound: true }
}

/** The authors of the posts that the viewer is shown, by posts.id. */
function visiblePosts(
  { viewCache }: Needs<'viewCache'>,
  { reader }: LikersCall,
  ids: readonly number[],
): Map<number, number> {
  const known = [...new Set(ids)].filter((id) => id !== 0)
  const views = viewCache.posts(known, reader)
  const visible = known.filter((_, i) => views[i] !== undefined)
  const facts = viewCache.facts(visible.map(postItem), reader)
  return new Map(visible.map((id, i) => [id, facts[i]!.author]))
}

function likersOf(
  { hydrator }: Needs<'hydrator'>,
  { viewer, params }: LikersCall,
  posts: readonly number[],
): Map<number, KnownLikers> {
  const most = params.likers === 0 ? 0 : READ_LIKERS
  return hydrator.knownLikers.of(viewer.uid, posts, most)
}

/** @returns the view of a liker of the author's post; undefined if it is hidden */
function profilesOf(
  { viewCache }: Needs<'viewCache'>,
  { reader }: LikersCall,
  {
    likers,
    authors,
  }: { likers: ReadonlyMap<number, KnownLikers>; authors: ReadonlyMap<number, number> },
) {
  const uids = [...new Set([...likers.values()].flatMap(({ uids }) => uids))]
  const views = viewCache.profiles(uids, reader, { basic: true, isVisible: neitherBlockedNorMuted })
  const viewOf = new Map(uids.map((uid, i) => [uid, views[i]]))
  const pairs = [...likers].flatMap(([post, { uids }]) =>
    uids.map((uid) => [authors.get(post)!, uid] as const),
  )
  const blocks = viewCache.blocksAmong(pairs, reader)
  return (author: number, uid: number) => (blocks.has(author, uid) ? undefined : viewOf.get(uid))
}
