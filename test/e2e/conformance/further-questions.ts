// More requests than cases.ts, sent to the official AppView on both data planes: about every account in turn,
// whatever its relation to the viewer, with every filter and sort, and page by page.

import type { Params } from './ask.ts'
import { type Cast, NAMES, type Seed } from './seed.ts'

export type Question = [nsid: string, params: Params]

const SORTS = ['newest', 'oldest']
const REASONS = [['like'], ['follow'], ['repost'], ['reply', 'quote']]

export function peopleOf(seed: Cast): Cast[keyof Cast][] {
  return NAMES.map((name) => seed[name])
}

function aboutEverybody(seed: Seed): Question[] {
  return peopleOf(seed).flatMap(({ did: actor, handle }): Question[] => [
    ['com.atproto.identity.resolveHandle', { handle }],
    ['app.bsky.actor.getProfile', { actor }],
    ['app.bsky.feed.getAuthorFeed', { actor, filter: 'posts_with_replies' }],
    ['app.bsky.graph.getListsWithMembership', { actor }],
  ])
}

function aboutPosts({ root, takenDown, veras }: Seed): Question[] {
  return [root, takenDown, veras[0]!].flatMap(({ uri }): Question[] => [
    ['app.bsky.feed.getPostThread', { uri, depth: 1, parentHeight: 0 }],
    ...SORTS.map((sort): Question => {
      return ['app.bsky.unspecced.getPostThreadV2', { anchor: uri, sort, branchingFactor: 3 }]
    }),
    ['app.bsky.feed.getRepostedBy', { uri }],
  ])
}

export function furtherQuestions(seed: Seed): Question[] {
  const { ann, feeds, packs, listB, modlistA } = seed
  const others = peopleOf(seed).map(({ did }) => did)
  return [
    ...aboutEverybody(seed),
    ...aboutPosts(seed),
    ...[feeds[1]!, packs[0]!].map(({ uri }): Question => ['app.bsky.feed.getLikes', { uri }]),
    ...REASONS.map((reasons): Question => {
      return ['app.bsky.notification.listNotifications', { reasons }]
    }),
    ['app.bsky.graph.getRelationships', { actor: ann.did, others }],
    ['app.bsky.feed.getAuthorFeed', { actor: ann.did, filter: 'posts_with_video' }],
    ['app.bsky.feed.getListFeed', { list: listB.uri }],
    ['app.bsky.graph.getList', { list: modlistA.uri }],
    ['app.bsky.graph.getLists', { actor: ann.did, purposes: ['modlist'] }],
    ['app.bsky.graph.getLists', { actor: ann.did, purposes: ['curatelist', 'referencelist'] }],
  ]
}

/** Requests whose pages are followed to their end. */
export function walks({ vera, ann, root, listA }: Seed): Question[] {
  return [
    ['app.bsky.feed.getTimeline', {}],
    ['app.bsky.feed.getAuthorFeed', { actor: ann.did }],
    ['app.bsky.feed.getLikes', { uri: root.uri }],
    ['app.bsky.feed.getRepostedBy', { uri: root.uri }],
    ['app.bsky.feed.getListFeed', { list: listA.uri }],
    ['app.bsky.feed.getActorFeeds', { actor: ann.did }],
    ['app.bsky.feed.getActorLikes', { actor: vera.did }],
    ['app.bsky.graph.getFollowers', { actor: ann.did }],
    ['app.bsky.graph.getFollows', { actor: vera.did }],
    ['app.bsky.graph.getLists', { actor: ann.did }],
    ['app.bsky.graph.getList', { list: listA.uri }],
    ['app.bsky.graph.getActorStarterPacks', { actor: ann.did }],
    ...['getBlocks', 'getMutes', 'getListBlocks', 'getListMutes'].map((name): Question => {
      return [`app.bsky.graph.${name}`, {}]
    }),
    ...storedPrivately,
  ]
}

/** Requests for state that is in no repository. */
export const storedPrivately: Question[] = [
  ['app.bsky.bookmark.getBookmarks', {}],
  ['app.bsky.draft.getDrafts', {}],
  ['app.bsky.notification.listActivitySubscriptions', {}],
]
