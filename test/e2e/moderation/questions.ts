// Requests whose answers have views of all that is labelled, in each of the forms in which methods send them.

import type { Params } from '../conformance/ask.ts'
import type { ModerationSeed } from './seed.ts'

const AT_ONCE = 25

/** Methods that visitors may not call. */
const FOR_MEMBERS = new Set([
  'app.bsky.feed.getTimeline',
  'app.bsky.graph.getBlocks',
  'app.bsky.graph.getMutes',
  'app.bsky.graph.getListBlocks',
  'app.bsky.graph.getListMutes',
  'app.bsky.notification.listNotifications',
])

export function moderationQuestions(
  { vera, ann, judge, root, made, modlists, quotes }: ModerationSeed,
  who: 'member' | 'visitor',
): [nsid: string, params: Params][] {
  const posts = [root, ...quotes, ...made.flatMap((made) => made.posts)]
  const dids = [vera, ann, judge, ...made.map(({ by }) => by)].map(({ did }) => did)
  const page = { limit: 100 }
  const all: [string, Params][] = [
    ...inChunks(posts).map(
      (uris) => ['app.bsky.feed.getPosts', { uris: uris.map(uriOf) }] as RequestOptions,
    ),
    ...inChunks(dids).map((actors) => ['app.bsky.actor.getProfiles', { actors }] as RequestOptions),
    ...dids.map((actor) => ['app.bsky.actor.getProfile', { actor }] as RequestOptions),
    ...dids.map((actor) => ['app.bsky.feed.getAuthorFeed', { actor, ...page }] as RequestOptions),
    ...dids.map((actor) => ['app.bsky.graph.getLists', { actor }] as RequestOptions),
    ...made.map(({ list }) => ['app.bsky.graph.getList', { list: list.uri }] as RequestOptions),
    ...modlists.map(({ uri }) => ['app.bsky.graph.getList', { list: uri }] as RequestOptions),
    ...dids.map((actor) => ['app.bsky.feed.getActorFeeds', { actor }] as RequestOptions),
    ...quotes.map(({ uri }) => ['app.bsky.feed.getPostThread', { uri }] as RequestOptions),
    ['app.bsky.feed.getFeedGenerators', { feeds: made.map(({ feed }) => feed.uri) }],
    ['app.bsky.feed.getPostThread', { uri: root.uri }],
    ['app.bsky.unspecced.getPostThreadV2', { anchor: root.uri }],
    ['app.bsky.unspecced.getPostThreadOtherV2', { anchor: root.uri }],
    ['app.bsky.feed.getQuotes', { uri: root.uri, ...page }],
    ['app.bsky.feed.getLikes', { uri: root.uri, ...page }],
    ['app.bsky.graph.getFollowers', { actor: vera.did, ...page }],
    ['app.bsky.graph.getFollows', { actor: vera.did, ...page }],
    ['app.bsky.feed.getTimeline', page],
    ['app.bsky.graph.getBlocks', page],
    ['app.bsky.graph.getMutes', page],
    ['app.bsky.graph.getListBlocks', page],
    ['app.bsky.graph.getListMutes', page],
    ['app.bsky.notification.listNotifications', page],
    ['app.bsky.labeler.getServices', { dids: [judge.did], detailed: true }],
  ]
  return all.filter(([nsid]) => who === 'member' || !FOR_MEMBERS.has(nsid))
}

type RequestOptions = [nsid: string, params: Params]

const uriOf = ({ uri }: { uri: string }) => uri

function inChunks<T>(all: readonly T[]): T[][] {
  const chunks = Math.ceil(all.length / AT_ONCE)
  return Array.from({ length: chunks }, (_, i) => all.slice(i * AT_ONCE, (i + 1) * AT_ONCE))
}
