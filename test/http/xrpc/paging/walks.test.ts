// Every method that pages, read in pages of each size while records of one millisecond come and go: a small page
// shows what a large one shows, in its order, and nothing that stays is lost or comes twice.

import { afterEach, beforeEach, expect, test } from 'vitest'
import { didOf } from '../../../support/records.ts'
import { searchable } from '../../../support/searching.ts'
import {
  createServingWorld,
  type Query,
  type ServingWorld,
} from '../../../support/serving-world.ts'
import type { RecordId } from '../../../support/world.ts'

type Item = Record<string, never> & { uri?: string; did?: string }
type Page = { cursor?: string } & Record<string, Item[]>
type Scene = ReturnType<typeof fill>
type Walked = {
  query: (scene: Scene) => Query
  field: string
  idOf?: (item: never) => string
  /** Makes one more item of the list, by the n-th newcomer. */
  add: (scene: Scene, n: number) => unknown
  /** Removes an item. */
  drop?: (scene: Scene, id: string) => unknown
}

const [viewer, author] = ['viewer', 'author'].map(didOf) as [string, string]
const people = Array.from({ length: 9 }, (_, i) => didOf(`person-${i}`))
const newcomers = Array.from({ length: 30 }, (_, i) => didOf(`newcomer-${i}`))
const AT = '2026-03-01T12:00:00.000Z'
const CURATED = 'app.bsky.graph.defs#curatelist'
const MODERATION = 'app.bsky.graph.defs#modlist'

let w: ServingWorld
beforeEach(() => {
  w = createServingWorld({ scope: 'network', members: ['viewer'] })
})
afterEach(() => w.dispose())

const make = (did: string, name: string, record: object) =>
  w.create(did, `app.bsky.${name}`, { ...record, createdAt: AT })

/** Nine of everything, all at one time, some of them by one account. */
function fill() {
  const made = new Map<string, RecordId>()
  const noted = (key: string, record: RecordId) => void made.set(key, record)
  for (const did of [viewer, author, ...people, ...newcomers]) {
    w.profile(did, { displayName: 'Same name' })
    w.handle(did, `a${did.slice(8, 20)}.test`)
  }
  const post = make(author, 'feed.post', { text: 'sameness' })
  const posts = people.map(() => make(author, 'feed.post', { text: 'sameness' }))
  const list = make(author, 'graph.list', { name: 'all', purpose: CURATED })
  for (const did of people) {
    make(did, 'feed.like', { subject: post })
    make(did, 'feed.like', { subject: post })
    make(did, 'feed.repost', { subject: post })
    make(did, 'graph.follow', { subject: author })
    make(author, 'graph.follow', { subject: did })
    make(viewer, 'graph.follow', { subject: did })
    const quote = { $type: 'app.bsky.embed.record', record: post }
    noted(did, make(did, 'feed.post', { text: 'quote', embed: quote }))
    noted(`item ${did}`, make(author, 'graph.listitem', { list: list.uri, subject: did }))
    packOf(author)
    generatorOf(author)
    make(author, 'graph.list', { name: 'same', purpose: CURATED })
  }
  searchable(w)
  return { post, posts, list, made }
}

function packOf(did: string): RecordId {
  const list = make(did, 'graph.list', {
    name: 'pack',
    purpose: 'app.bsky.graph.defs#referencelist',
  })
  return make(did, 'graph.starterpack', { name: 'same pack', list: list.uri })
}

function generatorOf(did: string): RecordId {
  return make(did, 'feed.generator', { did: 'did:web:feeds.example.org', displayName: 'same feed' })
}

const ofAuthor = () => ({ actor: author })
const newcomer = (n: number) => newcomers[n % newcomers.length]!
const didOfItem = ({ did }: { did: string }) => did
const remove = (_: Scene, uri: string) => w.delete(uri)

const METHODS: Record<string, Walked> = {
  'feed.getLikes': {
    query: ({ post }) => ({ uri: post.uri }),
    field: 'likes',
    idOf: (like: { actor: { did: string } }) => like.actor.did,
    add: ({ post }, n) => make(newcomer(n), 'feed.like', { subject: post }),
  },
  'feed.getRepostedBy': {
    query: ({ post }) => ({ uri: post.uri }),
    field: 'repostedBy',
    idOf: didOfItem,
    add: ({ post }, n) => make(newcomer(n), 'feed.repost', { subject: post }),
  },
  'feed.getQuotes': {
    query: ({ post }) => ({ uri: post.uri }),
    field: 'posts',
    add: ({ post }, n) =>
      make(newcomer(n), 'feed.post', {
        text: 'quote',
        embed: { $type: 'app.bsky.embed.record', record: post },
      }),
    drop: remove,
  },
  'graph.getFollowers': {
    query: ofAuthor,
    field: 'followers',
    idOf: didOfItem,
    add: (_, n) => make(newcomer(n), 'graph.follow', { subject: author }),
  },
  'graph.getFollows': {
    query: ofAuthor,
    field: 'follows',
    idOf: didOfItem,
    add: (_, n) => make(author, 'graph.follow', { subject: newcomer(n) }),
  },
  'graph.getKnownFollowers': {
    query: ofAuthor,
    field: 'followers',
    idOf: didOfItem,
    add: (_, n) => {
      make(viewer, 'graph.follow', { subject: newcomer(n) })
      make(newcomer(n), 'graph.follow', { subject: author })
    },
  },
  'graph.getList': {
    query: ({ list }) => ({ list: list.uri }),
    field: 'items',
    add: ({ list }, n) => make(author, 'graph.listitem', { list: list.uri, subject: newcomer(n) }),
    drop: remove,
  },
  'graph.getLists': {
    query: ofAuthor,
    field: 'lists',
    add: () => make(author, 'graph.list', { name: 'same', purpose: MODERATION }),
    drop: remove,
  },
  'graph.getActorStarterPacks': {
    query: ofAuthor,
    field: 'starterPacks',
    add: () => packOf(author),
    drop: remove,
  },
  'graph.searchStarterPacks': {
    query: () => ({ q: 'same' }),
    field: 'starterPacks',
    add: () => packOf(author),
    drop: remove,
  },
  'graph.searchStarterPacksV2': {
    query: () => ({ q: 'same' }),
    field: 'starterPacks',
    add: () => packOf(author),
    drop: remove,
  },
  'feed.getActorFeeds': {
    query: ofAuthor,
    field: 'feeds',
    add: () => generatorOf(author),
    drop: remove,
  },
  'feed.getSuggestedFeeds': {
    query: () => ({}),
    field: 'feeds',
    add: () => generatorOf(author),
    drop: remove,
  },
  'unspecced.getPopularFeedGenerators': {
    query: () => ({ query: 'same' }),
    field: 'feeds',
    add: () => generatorOf(author),
    drop: remove,
  },
  'feed.getAuthorFeed': {
    query: ofAuthor,
    field: 'feed',
    idOf: ({ post }: { post: { uri: string } }) => post.uri,
    add: () => make(author, 'feed.post', { text: 'more' }),
    drop: remove,
  },
  'feed.getTimeline': {
    query: () => ({}),
    field: 'feed',
    idOf: ({ post, reason }: { post: { uri: string }; reason?: { uri: string } }) =>
      reason?.uri ?? post.uri,
    add: (_, n) => make(people[n % 9]!, 'feed.post', { text: 'more' }),
    drop: remove,
  },
  'feed.getListFeed': {
    query: ({ list }) => ({ list: list.uri }),
    field: 'feed',
    idOf: ({ post }: { post: { uri: string } }) => post.uri,
    add: (_, n) => make(people[n % 9]!, 'feed.post', { text: 'more' }),
    drop: remove,
  },
  'feed.getActorLikes': {
    query: () => ({ actor: viewer }),
    field: 'feed',
    idOf: ({ post }: { post: { uri: string } }) => post.uri,
    add: (_, n) => like(make(newcomer(n), 'feed.post', { text: 'liked' })),
  },
  'graph.getBlocks': {
    query: () => ({}),
    field: 'blocks',
    idOf: didOfItem,
    add: (_, n) => make(viewer, 'graph.block', { subject: newcomer(n) }),
  },
  'graph.getListBlocks': {
    query: () => ({}),
    field: 'lists',
    add: (_, n) => {
      const subject = make(newcomer(n), 'graph.list', { name: 'bad', purpose: MODERATION })
      make(viewer, 'graph.listblock', { subject: subject.uri })
    },
    drop: remove,
  },
  'graph.getMutes': {
    query: () => ({}),
    field: 'mutes',
    idOf: didOfItem,
    add: (_, n) => w.mute(viewer, newcomer(n)),
    drop: (_, did) => w.unmute(viewer, did),
  },
  'graph.getListMutes': {
    query: () => ({}),
    field: 'lists',
    add: (_, n) => {
      const list = make(newcomer(n), 'graph.list', { name: 'bad', purpose: MODERATION })
      return w.tell('app.bsky.graph.muteActorList', { list: list.uri }, viewer)
    },
    drop: (_, list) => w.tell('app.bsky.graph.unmuteActorList', { list }, viewer),
  },
  'bookmark.getBookmarks': {
    query: () => ({}),
    field: 'bookmarks',
    idOf: ({ subject }: { subject: { uri: string } }) => subject.uri,
    add: (_, n) => {
      const post = make(newcomer(n), 'feed.post', { text: 'to read' })
      return w.tell('app.bsky.bookmark.createBookmark', post, viewer)
    },
    drop: (_, uri) => w.tell('app.bsky.bookmark.deleteBookmark', { uri }, viewer),
  },
  'notification.listActivitySubscriptions': {
    query: () => ({}),
    field: 'subscriptions',
    idOf: didOfItem,
    add: (_, n) => subscribe(newcomer(n), true),
    drop: (_, did) => subscribe(did, false),
  },
  'graph.getListsWithMembership': {
    query: ofAuthor,
    field: 'listsWithMembership',
    idOf: ({ list }: { list: { uri: string } }) => list.uri,
    add: () => make(viewer, 'graph.list', { name: 'mine', purpose: CURATED }),
    drop: remove,
  },
  'graph.getStarterPacksWithMembership': {
    query: ofAuthor,
    field: 'starterPacksWithMembership',
    idOf: ({ starterPack }: { starterPack: { uri: string } }) => starterPack.uri,
    add: () => packOf(viewer),
    drop: remove,
  },
  'actor.searchActors': {
    query: () => ({ q: 'same' }),
    field: 'actors',
    idOf: didOfItem,
    add: (_, n) => w.profile(didOf(`stranger ${n}`), { displayName: 'Same name' }),
  },
  'actor.getSuggestions': {
    query: () => ({}),
    field: 'actors',
    idOf: didOfItem,
    add: (_, n) => make(people[n % 9]!, 'graph.follow', { subject: newcomer(n) }),
  },
  'feed.searchPosts': {
    query: () => ({ q: 'sameness', sort: 'latest' }),
    field: 'posts',
    add: (_, n) => make(newcomer(n), 'feed.post', { text: 'sameness' }),
    drop: remove,
  },
  'notification.listNotifications': {
    query: () => ({}),
    field: 'notifications',
    add: (_, n) => make(newcomer(n), 'graph.follow', { subject: viewer }),
  },
}

function subscribe(subject: string, post: boolean) {
  const input = { subject, activitySubscription: { post, reply: false } }
  return w.tell('app.bsky.notification.putActivitySubscription', input, viewer)
}

const like = (subject: RecordId) => void make(viewer, 'feed.like', { subject })

/** Reads up to the end, and calls `between` after each page with what it showed. */
async function walk(
  nsid: string,
  { field, idOf = ({ uri }: { uri: string }) => uri }: Walked,
  query: Query,
  between: (ids: string[]) => Promise<void> = async () => {},
): Promise<string[]> {
  const all: string[] = []
  let cursor: string | undefined
  for (let pages = 0; ; pages++) {
    expect(pages).toBeLessThan(200)
    const page = await w.get<Page>(`app.bsky.${nsid}`, { ...query, cursor }, viewer)
    const ids = (page[field] as never[]).map(idOf as (item: never) => string)
    if (pages > 0) expect(ids, `${nsid} after ${cursor}`).not.toEqual([])
    all.push(...ids)
    cursor = page.cursor
    if (cursor === undefined) return all
    await between(ids)
  }
}

test.each(Object.entries(METHODS))('%s', async (nsid, method) => {
  const scene = fill()
  for (let n = 0; n < 9; n++) await method.add(scene, n)
  searchable(w)
  const query = method.query(scene)
  const whole = await walk(nsid, method, { ...query, limit: 100 })
  expect(whole.length).toBeGreaterThanOrEqual(9)
  expect(new Set(whole).size).toBe(whole.length)
  for (const limit of [1, 4]) {
    expect(await walk(nsid, method, { ...query, limit }), `limit ${limit}`).toEqual(whole)
  }
  for (const limit of [1, 3]) {
    const before = await walk(nsid, method, { ...query, limit: 100 })
    const gone = new Set<string>()
    let n = 9 * limit
    const found = await walk(nsid, method, { ...query, limit }, async (ids) => {
      if (n < 9 * limit + 5) await method.add(scene, n)
      if (n < 9 * limit + 5) searchable(w)
      n++
      if (method.drop && gone.size < 3) {
        await method.drop(scene, ids.at(-1)!)
        gone.add(ids.at(-1)!)
      }
    })
    expect(new Set(found).size, 'nothing twice').toBe(found.length)
    expect(
      found.filter((id) => before.includes(id)),
      `limit ${limit}`,
    ).toEqual(before)
  }
})
