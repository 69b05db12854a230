// Several records of one account about one subject, at one time (as one `applyWrites` makes them) or at many:
// every list names the account once, and no cursor leads to an empty page.

import { afterEach, expect, test } from 'vitest'
import { createRandom } from '../../support/random.ts'
import { didOf } from '../../support/records.ts'
import { testSeed } from '../../support/seed.ts'
import { createServingWorld, type ServingWorld } from '../../support/serving-world.ts'

type Page = { cursor?: string } & Record<string, unknown>

const [viewer, author] = ['viewer', 'author'].map(didOf) as [string, string]

let w: ServingWorld
afterEach(() => w.dispose())

const people = Array.from({ length: 8 }, (_, i) => didOf(`person-${i}`))
const at = (ms: number) => new Date(Date.UTC(2026, 2, 1) + ms).toISOString()

/** Reads all pages; none but an only one may be empty. */
async function listed(
  { nsid, query, by }: { nsid: string; query: object; by?: string },
  idsOf: (page: Page) => string[],
) {
  const found: string[] = []
  let cursor: string | undefined
  for (let page = 0; page === 0 || cursor !== undefined; page++) {
    const read: Page = await w.get<Page>(nsid, { ...query, cursor }, by)
    const ids = idsOf(read)
    if (page > 0) expect(ids, `${nsid} after ${cursor}`).not.toEqual([])
    found.push(...ids)
    cursor = read.cursor
  }
  return found.sort()
}

/** Random records, several of each kind by one account about one subject within four milliseconds. */
function fill(): string[] {
  const random = createRandom(testSeed('repeated records'))
  for (const did of [viewer, author, ...people]) w.profile(did, { displayName: did.slice(-4) })
  const posts = Array.from({ length: 8 }, (_, i) => w.post(author, `post ${i}`))
  const create = (did: string, name: string, subject: unknown) =>
    w.create(did, name, { subject, createdAt: at(random.below(4)) })
  for (let i = 0; i < 150; i++) {
    const person = random.pick(people)
    create(person, 'app.bsky.feed.like', posts[0])
    create(person, 'app.bsky.feed.repost', posts[0])
    create(person, 'app.bsky.graph.follow', author)
    create(author, 'app.bsky.graph.follow', random.pick(people))
    create(viewer, 'app.bsky.feed.like', random.pick(posts.slice(1)))
    create(viewer, 'app.bsky.graph.block', random.pick(people))
  }
  return posts.map(({ uri }) => uri)
}

test('likes, reposts, follows and blocks', async () => {
  w = createServingWorld({ scope: 'network', members: ['viewer'] })
  const posts = fill()
  const [uri, actor] = [posts[0]!, author]
  const didOfLiker = (page: Page) =>
    (page['likes'] as { actor: { did: string } }[]).map((like) => like.actor.did)
  const dids = (field: string) => (page: Page) =>
    (page[field] as { did: string }[]).map(({ did }) => did)
  const posted = ({ feed }: Page) =>
    (feed as { post: { uri: string } }[]).map(({ post }) => post.uri)
  const everyone = [...people].sort()
  for (const limit of [1, 2, 3, 7, 8, 100]) {
    const read = (name: string, query: object, idsOf: (page: Page) => string[], by?: string) =>
      listed({ nsid: `app.bsky.${name}`, query: { limit, ...query }, by }, idsOf)
    expect(await read('feed.getLikes', { uri }, didOfLiker)).toEqual(everyone)
    expect(await read('feed.getRepostedBy', { uri }, dids('repostedBy'))).toEqual(everyone)
    expect(await read('graph.getFollowers', { actor }, dids('followers'))).toEqual(everyone)
    expect(await read('graph.getFollows', { actor }, dids('follows'))).toEqual(everyone)
    expect(await read('graph.getBlocks', {}, dids('blocks'), viewer)).toEqual(everyone)
    const own = read('feed.getActorLikes', { actor: viewer }, posted, viewer)
    expect(await own).toEqual(posts.slice(1).sort())
  }
  const { posts: counted } = await w.get<{ posts: object[] }>('app.bsky.feed.getPosts', {
    uris: [uri],
  })
  expect(counted[0]).toMatchObject({ likeCount: 8, repostCount: 8 })
  const profile = await w.get('app.bsky.actor.getProfile', { actor })
  expect(profile).toMatchObject({ followersCount: 8, followsCount: 8 })
})
