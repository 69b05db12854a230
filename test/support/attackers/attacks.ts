// The attacks by which a stranger or a member once held the server up, with their siblings: each a few
// requests that are sent again and again, by those who can send them.

import { labelled, type Request } from '../costly/requests.ts'
import { type Cast, HERMIT, MEMBER, PROLIFIC, WHALE } from '../costly/worst-rows.ts'

export type Attacker = 'a visitor' | 'a member' | 'a program'
export type Attack = {
  name: string
  /** By visitors and members if unset. */
  by?: readonly Attacker[]
  requests: readonly Request[]
}

const COMMON = ['post', 'of', 'many', 'words', 'tied', 'quote', 'reply', 'liked']
const PHRASES = 19

export function attacksOver(cast: Cast): Attack[] {
  return [...searches(), ...lists(cast), ...threads(cast), ...timelines(cast)]
}

function searches(): Attack[] {
  const phrase = (from: number) =>
    `"${Array.from({ length: 8 }, (_, i) => COMMON[(from * 3 + i) % COMMON.length]).join(' ')}"`
  const phrases = Array.from({ length: PHRASES }, (_, i) => phrase(i)).join(' ')
  const forged = { sort: 'top', cursor: '9999999999.0__0.0__0_0', q: '"many of" "words many"' }
  const search = 'app.bsky.feed.searchPosts'
  const rest = { q: 'of -"post 1 of many words" -tied -quote', sort: 'latest' }
  return [
    { name: 'search: 19 phrases', requests: [requested(search, { q: phrases })] },
    { name: 'search: a forged cursor', requests: [requested(search, forged)] },
    { name: 'search: exclusions', requests: [requested(search, rest)] },
    {
      name: 'search: actors and packs',
      requests: ['actor.searchActors', 'graph.searchStarterPacksV2'].map((name) =>
        requested(`app.bsky.${name}`, { q: 'crowd one of many large pack', limit: 100 }),
      ),
    },
  ]
}

function lists({ lists: all, posts }: Cast): Attack[] {
  const feed = (list: string) => requested('app.bsky.feed.getListFeed', { list, limit: 100 })
  const edges = (name: string, actor: string) =>
    requested(`app.bsky.graph.${name}`, { actor, limit: 100 })
  const [, popular] = posts
  return [
    { name: 'getListFeed: silent, withheld and tied', requests: all.map(feed) },
    { name: 'getFollows: all blocked', requests: [edges('getFollows', HERMIT)] },
    { name: 'getFollows, getFollowers', requests: edgesOf(edges) },
    {
      name: 'getLikes, getQuotes, getRepostedBy',
      requests: ['getLikes', 'getQuotes', 'getRepostedBy'].map((name) =>
        requested(`app.bsky.feed.${name}`, { uri: popular!, limit: 100 }),
      ),
    },
    {
      name: 'author feed without a picture',
      requests: [
        requested('app.bsky.feed.getAuthorFeed', {
          actor: PROLIFIC,
          filter: 'posts_with_media',
          limit: 100,
        }),
      ],
    },
  ]
}

function edgesOf(edges: (name: string, actor: string) => Request): Request[] {
  return [WHALE, MEMBER, HERMIT].flatMap((actor) => [
    edges('getFollows', actor),
    labelled(edges('getFollowers', actor)),
  ])
}

function threads({ posts }: Cast): Attack[] {
  const v1 = posts.map((uri) =>
    requested('app.bsky.feed.getPostThread', { uri, depth: 1_000, parentHeight: 1_000 }),
  )
  const v2 = posts.map((anchor) =>
    requested('app.bsky.unspecced.getPostThreadV2', { anchor, below: 20, branchingFactor: 100 }),
  )
  return [{ name: 'threads: long, deep and wide', requests: [...v1, ...v2] }]
}

function timelines({ ownLists }: Cast): Attack[] {
  const keys = ownLists.map((uri) => encodeURIComponent(`list:${uri}`))
  const merge = keys.join('+')
  const of = (key: string, rest: string) => ({
    method: '/v1/timelines',
    viewer: MEMBER,
    path: `/v1/timelines/${key}/${rest}`,
  })
  const notifications = requested('app.bsky.notification.listNotifications', { limit: 100 })
  return [
    { name: '/v1: 16 lists merged', requests: [of(merge, 'events?limit=100')] },
    { name: '/v1: one list', requests: keys.map((key) => of(key, 'events?limit=100')) },
    { name: '/v1: streams of merges', requests: [{ ...of(merge, 'stream'), isEndless: true }] },
    {
      name: '/v1: streams from the beginning',
      requests: keys.map((key) => ({ ...of(key, 'stream?since=1'), isEndless: true })),
    },
    { name: 'notifications of the blocked', requests: [notifications] },
    { name: 'own timeline, nothing left', requests: [requested('app.bsky.feed.getTimeline', {})] },
  ].map((attack) => ({ ...attack, by: ['a member'] }))
}

function requested(method: string, params: Record<string, string | number>): Request {
  const pairs = Object.entries(params).map(([name, value]): [string, string] => [
    name,
    String(value),
  ])
  return { method, path: `/xrpc/${method}?${new URLSearchParams(pairs)}` }
}
