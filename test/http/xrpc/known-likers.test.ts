// Known likers after random likes, follows, blocks, mutes, takedowns and deletions: on every face the same as a
// naive model has them, for members and for others.

import { afterAll, expect, test } from 'vitest'
import { decide } from '../../../src/ingest/indexing/moderation/moderation.ts'
import { createRandom, type Random } from '../../support/random.ts'
import { didOf } from '../../support/records.ts'
import { createServingWorld, type ServingWorld } from '../../support/serving-world.ts'
import type { RecordId } from '../../support/world.ts'

const SEED = Number(process.env['SEED'] ?? 54)
const ROUNDS = 60
const PEOPLE = Array.from({ length: 9 }, (_, i) => didOf(`person-${i}`))
const MEMBERS = ['person-0', 'person-1', 'person-2']
/** The last became a member only late. */
const VIEWERS = [...MEMBERS, 'person-3'].map(didOf)
const PRESENTED = 3

type Post = RecordId & { did: string; root: RecordId | undefined }
type Act = RecordId & { did: string; to: string }
type Actor = { did: string }
type Known = { count: number; actors: Actor[] }
type PostView = { uri: string; viewer?: { knownLikers?: Known } }
type FeedItem = { post: PostView; reply?: { root: PostView; parent: PostView } }

const worlds: ServingWorld[] = []
afterAll(() => {
  for (const world of worlds) world.dispose()
})

/** All that happened, as lists. */
function createModel(w: ServingWorld, random: Random) {
  const posts: Post[] = []
  const likes: Act[] = []
  const follows: Act[] = []
  const blocks: Act[] = []
  const mutes = new Set<string>()
  const hidden = new Set<string>()
  const pick = () => random.pick(PEOPLE)
  const drop = (acts: Act[]) => {
    if (acts.length === 0) return
    const [act] = acts.splice(random.below(acts.length), 1)
    w.delete(act!)
  }

  const often = (times: number, act: () => void) => Array.from({ length: times }, () => act)
  const acts = [
    ...often(2, post),
    ...often(16, like),
    ...often(3, () => drop(likes)),
    ...often(3, follow),
    () => drop(follows),
    ...often(2, block),
    ...often(2, () => drop(blocks)),
    ...often(2, mute),
    hideOrShow,
    deletePost,
  ]

  function post(): void {
    const did = pick()
    const parent = posts.length > 0 && random.chance(0.5) ? random.pick(posts) : undefined
    const root = parent && (parent.root ?? parent)
    const made = w.post(did, parent ? { reply: { parent, root: root! } } : {})
    posts.push({ ...made, did, root })
  }

  /** An account may like a post twice. */
  function like(): void {
    if (posts.length === 0) return
    const [did, subject] = [pick(), random.pick(posts.slice(-4))]
    likes.push({ ...w.like(did, { uri: subject.uri, cid: subject.cid }), did, to: subject.uri })
  }

  function follow(): void {
    const [did, to] = [random.pick(VIEWERS), pick()]
    if (did !== to) follows.push({ ...w.follow(did, to), did, to })
  }

  function block(): void {
    const [did, to] = [pick(), pick()]
    if (did !== to) blocks.push({ ...w.block(did, to), did, to })
  }

  function mute(): void {
    const [did, to] = [didOf(random.pick(MEMBERS)), pick()]
    const pair = `${did} ${to}`
    if (mutes.delete(pair)) w.unmute(did, to)
    else if (did !== to) {
      mutes.add(pair)
      w.mute(did, to)
    }
  }

  /** By its own server or by the operator. */
  function hideOrShow(): void {
    const did = random.pick(PEOPLE.slice(VIEWERS.length))
    const byOperator = PEOPLE.indexOf(did) % 2 === 0
    const hides = !hidden.delete(did)
    if (hides) hidden.add(did)
    if (!byOperator) return w.status(did, hides ? 'deactivated' : undefined)
    const decision = {
      act: hides ? 'hide' : 'show',
      subject: did,
      by: 'tester',
      reason: '',
    } as const
    w.run((ctx) => decide(ctx, decision))
  }

  function deletePost(): void {
    if (posts.length < 8) return
    const [gone] = posts.splice(random.below(posts.length), 1)
    w.delete(gone!.uri)
  }

  function isBlocked(a: string, b: string): boolean {
    const isBetween = ({ did, to }: Act) => (did === a && to === b) || (did === b && to === a)
    return blocks.some(isBetween)
  }

  return {
    posts,
    follow,
    step: () => random.pick(acts)(),
    /** Newest like first; of several by one account, the first counts. */
    known(viewer: string, { uri, did: author }: Post, most = PRESENTED): Known | undefined {
      const followed = new Set(follows.filter(({ did }) => did === viewer).map(({ to }) => to))
      const first = new Set(likes.filter(({ to }) => to === uri).map(({ did }) => did))
      const known = [...first].reverse().filter((did) => followed.has(did) && !hidden.has(did))
      if (known.length === 0) return undefined
      const isHidden = (did: string) =>
        isBlocked(did, viewer) || isBlocked(did, author) || mutes.has(`${viewer} ${did}`)
      const visible = known.filter((did) => !isHidden(did))
      return { count: known.length, actors: visible.slice(0, most).map((did) => ({ did })) }
    },
  }
}

type Model = ReturnType<typeof createModel>

/** The parts that are compared. */
function brief(known: Known | undefined): Known | undefined {
  return (
    known && {
      count: known.count,
      actors: known.actors.map(({ did }) => ({ did })),
    }
  )
}

/** @returns the known likers that were seen */
async function compare(w: ServingWorld, model: Model, viewer: string): Promise<Known[]> {
  const posts = new Map(model.posts.map((post) => [post.uri, post]))
  const found: Known[] = []
  /** @param shows - whether the post is one that shows them */
  function check(view: PostView, shows: boolean): void {
    const post = posts.get(view.uri)
    if (!post || !view.viewer) return
    const expected = shows ? model.known(viewer, post) : undefined
    expect(brief(view.viewer.knownLikers), view.uri).toEqual(expected)
    if (expected) found.push(expected)
  }
  const ask = async <T>(nsid: string, query: Parameters<ServingWorld['ask']>[1]) => {
    const { status, body } = await w.ask(nsid, query, viewer)
    expect(status, JSON.stringify(body)).toBe(200)
    return body as T
  }
  const uris = [...posts.keys()].slice(-25)
  if (uris.length === 0) return []
  const some = await ask<{ posts: PostView[] }>('app.bsky.feed.getPosts', { uris })
  for (const view of some.posts) check(view, true)
  const feeds: [string, Record<string, string>][] = [
    ['app.bsky.feed.getTimeline', {}],
    ['app.bsky.feed.getAuthorFeed', { actor: viewer }],
  ]
  for (const [nsid, query] of feeds) {
    const { feed } = await ask<{ feed: FeedItem[] }>(nsid, query)
    for (const { post, reply } of feed) {
      for (const view of [post, reply?.root, reply?.parent]) {
        if (view) check(view, posts.get(view.uri)?.root === undefined)
      }
    }
  }
  const [anchor] = some.posts
  if (anchor) {
    type Thread = { thread: { depth: number; value: { post: PostView } }[] }
    const v2 = 'app.bsky.unspecced.getPostThreadV2'
    const { thread } = await ask<Thread>(v2, { anchor: anchor.uri })
    for (const { depth, value } of thread) if (value.post) check(value.post, depth === 0)
  }
  const batch = 'io.slipstream.feed.getKnownLikers'
  const visible = new Set(some.posts.map(({ uri }) => uri))
  const { posts: many } = await ask<{ posts: (Known & { uri: string; notFound?: boolean })[] }>(
    batch,
    { uris, likers: 10 },
  )
  expect(many.map(({ uri }) => uri)).toEqual(uris)
  for (const { uri, notFound, ...known } of many) {
    expect(notFound ?? false, uri).toBe(!visible.has(uri))
    const expected = model.known(viewer, posts.get(uri)!, 10) ?? { count: 0, actors: [] }
    if (!notFound) expect(brief(known)).toEqual(expected)
  }
  return found
}

test(`known likers are as in a naive model, everywhere (seed ${SEED})`, async () => {
  const random = createRandom(SEED)
  const w = createServingWorld({ scope: 'network', members: MEMBERS })
  worlds.push(w)
  for (const did of PEOPLE) w.profile(did)
  const model = createModel(w, random)
  for (let i = 0; i < 40; i++) model.follow()
  const found: Known[] = []
  for (let round = 0; round < ROUNDS; round++) {
    if (round === ROUNDS / 2) w.member(VIEWERS.at(-1)!)
    for (let steps = 1 + random.below(8); steps > 0; steps--) model.step()
    // Others' caches were filled before, or not.
    for (const viewer of VIEWERS) {
      if (random.chance(0.4)) found.push(...(await compare(w, model, viewer)))
    }
  }
  expect(found.length).toBeGreaterThan(ROUNDS)
  expect(found.some(({ count }) => count > PRESENTED)).toBe(true)
  expect(found.some(({ count, actors }) => actors.length < Math.min(count, PRESENTED))).toBe(true)
})
