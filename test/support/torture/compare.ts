// Reads everything that members can see, page by page, and holds it against the oracle.

import { type Bounds, type Counts, createOracle, newestFirst, type Oracle } from './oracle.ts'
import { ownThatMayHide } from './own-items.ts'
import { AnswerError, type Subject } from './subject.ts'
import type { World } from './world.ts'

export type Difference = {
  what: string
  viewer: string
  /** URI or DID that the history is searched for. */
  about: string
  expected: unknown
  got: unknown
}

export type Comparison = { compared: number; differences: Difference[] }

type Profile = {
  did: string
  handle: string
  displayName?: string
  viewer?: { following?: string; blocking?: string; blockedBy?: boolean }
}
type Post = {
  uri: string
  author: Profile
  likeCount: number
  repostCount: number
  replyCount: number
  quoteCount: number
  viewer?: { like?: string; repost?: string }
}
type Item = {
  post: Post
  reason?: { uri: string; by: Profile }
  reply?: { parent: { $type: string; uri: string }; root: { $type: string; uri: string } }
}

type Check = (same: boolean, difference: Omit<Difference, 'viewer'>) => void
type Parts = { subject: Subject; oracle: Oracle; viewer: string; check: Check; pageSize: number }

const MAX_PAGES = 2_000

export async function compareAll(
  world: World,
  subject: Subject,
  pageSize: number,
): Promise<Comparison> {
  const oracle = createOracle(world)
  const result: Comparison = { compared: 0, differences: [] }
  for (const { did: viewer } of world.members) {
    const check: Check = (same, difference) => {
      result.compared++
      if (!same) result.differences.push({ viewer, ...difference })
    }
    const parts = { subject, oracle, viewer, check, pageSize }
    await compareTimeline(parts)
    await compareFollows(parts)
    await compareFollowers(parts)
    for (const { did } of world.network.repositories) await compareKnownFollowers(parts, did)
  }
  return result
}

async function compareTimeline(parts: Parts): Promise<void> {
  const { oracle, viewer, check, pageSize } = parts
  const items = await readAll<Item>(parts, 'app.bsky.feed.getTimeline', {}, 'feed')
  const got = items.map((item) => item.reason?.uri ?? item.post.uri)
  const gotOnce = new Set(got)
  for (const uri of repeated(got)) {
    check(false, { what: 'timeline item twice', about: uri, expected: 1, got: 'more' })
  }
  const { followed, own } = oracle.timeline(viewer)
  const known = new Map([...followed, ...own].map((row) => [row.uri, row]))
  const mayHide = ownThatMayHide({ followed, own }, pageSize)
  for (const row of known.values()) {
    const isVisible = oracle.isVisible(viewer, row)
    const isShown = gotOnce.has(row.uri)
    const isSame = isVisible === undefined || isVisible === isShown
    const isExcused = isVisible && !isShown && mayHide.has(row)
    const expected = isVisible ? 'shown' : 'absent'
    const shown = isShown ? 'shown' : 'missing'
    check(isSame || isExcused === true, {
      what: `timeline item${row.post === row.uri ? '' : `, repost of ${row.post}`}`,
      about: row.uri,
      expected,
      got: shown,
    })
  }
  for (const uri of gotOnce) {
    const isKnown = known.has(uri)
    check(isKnown, { what: 'timeline item', about: uri, expected: 'absent', got: 'shown' })
  }
  for (let i = 1; i < got.length; i++) {
    const [above, below] = [known.get(got[i - 1]!), known.get(got[i]!)]
    const inOrder = !above || !below || newestFirst(above, below) <= 0
    check(inOrder, { what: 'timeline order', about: got[i]!, expected: above, got: below })
  }
  for (const item of items) comparePost(parts, item)
}

function comparePost({ oracle, viewer, check }: Parts, { post, reason, reply }: Item): void {
  const { uri, author } = post
  compareProfile({ oracle, viewer, check }, author)
  if (reason) compareProfile({ oracle, viewer, check }, reason.by)
  const counts: Counts = oracle.counts(uri)
  const shown: [string, Bounds, number][] = [
    ['likeCount', counts.likes, post.likeCount],
    ['repostCount', counts.reposts, post.repostCount],
    ['replyCount', counts.replies, post.replyCount],
    ['quoteCount', counts.quotes, post.quoteCount],
  ]
  for (const [what, bounds, got] of shown) {
    check(got >= bounds.least && got <= bounds.most, { what, about: uri, expected: bounds, got })
  }
  const likes = oracle.hasReacted(viewer, 'app.bsky.feed.like', uri)
  const reposts = oracle.hasReacted(viewer, 'app.bsky.feed.repost', uri)
  const state = post.viewer
  check((state?.like !== undefined) === likes, {
    what: 'viewer.like',
    about: uri,
    expected: likes,
    got: state?.like,
  })
  check((state?.repost !== undefined) === reposts, {
    what: 'viewer.repost',
    about: uri,
    expected: reposts,
    got: state?.repost,
  })
  if (!reply) return
  for (const { $type, uri: above } of [reply.parent, reply.root]) {
    const found = oracle.post(above)
    const isThere = found !== undefined && !oracle.isHidden(found.author)
    const got = !$type.endsWith('#notFoundPost')
    check(got === isThere, { what: 'ancestor', about: above, expected: isThere, got: $type })
  }
}

function compareProfile(
  { oracle, viewer, check }: Pick<Parts, 'oracle' | 'viewer' | 'check'>,
  { did, handle, displayName, viewer: state }: Profile,
): void {
  const account = oracle.account(did)
  const profile = account?.collections.get('app.bsky.actor.profile')?.get('self')?.value
  const name = profile?.['displayName']
  check(displayName === name, { what: 'displayName', about: did, expected: name, got: displayName })
  check(handle === account?.handle, {
    what: 'handle',
    about: did,
    expected: account?.handle,
    got: handle,
  })
  const follows = oracle.follows(viewer).has(did) && !oracle.isBlocked(viewer, did)
  check((state?.following !== undefined) === follows, {
    what: 'viewer.following',
    about: did,
    expected: follows,
    got: state?.following,
  })
}

async function compareFollows(parts: Parts): Promise<void> {
  const { oracle, viewer } = parts
  const method = 'app.bsky.graph.getFollows'
  const views = await readAll<Profile>(parts, method, { actor: viewer }, 'follows')
  const expected = new Set([...oracle.follows(viewer)].filter((did) => isListed(parts, did)))
  compareAccounts(parts, 'getFollows', views, { must: expected, may: expected })
}

async function compareFollowers(parts: Parts): Promise<void> {
  const { oracle, viewer } = parts
  const method = 'app.bsky.graph.getFollowers'
  const views = await readAll<Profile>(parts, method, { actor: viewer }, 'followers')
  const { must, may } = oracle.followers(viewer)
  const listed = (dids: Set<string>) => new Set([...dids].filter((did) => isListed(parts, did)))
  compareAccounts(parts, 'getFollowers', views, { must: listed(must), may: listed(may) })
}

async function compareKnownFollowers(parts: Parts, about: string): Promise<void> {
  const { oracle, viewer, check } = parts
  const expected = new Set(
    [...oracle.follows(viewer)].filter(
      (did) => did !== viewer && isListed(parts, did) && oracle.follows(did).has(about),
    ),
  )
  const method = 'app.bsky.graph.getKnownFollowers'
  try {
    const views = await readAll<Profile>(parts, method, { actor: about }, 'followers')
    compareAccounts(parts, `getKnownFollowers of ${about}`, views, {
      must: expected,
      may: expected,
    })
  } catch (error) {
    if (!(error instanceof AnswerError) || error.status !== 400) throw error
    const isExpected = oracle.isHidden(about) || expected.size === 0
    check(isExpected, {
      what: 'getKnownFollowers',
      about,
      expected: [...expected],
      got: error.message,
    })
  }
}

function compareAccounts(
  parts: Parts,
  what: string,
  views: Profile[],
  { must, may }: { must: Set<string>; may: Set<string> },
): void {
  const got = views.map(({ did }) => did)
  const { check } = parts
  for (const did of repeated(got))
    check(false, { what: `${what}: twice`, about: did, expected: 1, got: 'more' })
  for (const did of must)
    check(got.includes(did), { what, about: did, expected: 'listed', got: 'missing' })
  for (const did of got)
    check(may.has(did), { what, about: did, expected: 'absent', got: 'listed' })
  for (const view of views) compareProfile(parts, view)
}

function isListed({ oracle, viewer }: Parts, did: string): boolean {
  return !oracle.isHidden(did) && !oracle.isBlocked(viewer, did)
}

async function readAll<T>(
  { subject, viewer, pageSize }: Parts,
  method: string,
  params: Record<string, string>,
  field: string,
): Promise<T[]> {
  const all: T[] = []
  let cursor: string | undefined
  for (let pages = 0; ; pages++) {
    if (pages > MAX_PAGES) throw new Error(`${method} of ${viewer} has no end`)
    const query = { ...params, limit: pageSize, ...(cursor && { cursor }) }
    const page = await subject.get<{ [field: string]: unknown; cursor?: string }>(
      viewer,
      method,
      query,
    )
    all.push(...(page[field] as T[]))
    if (!page.cursor) return all
    cursor = page.cursor
  }
}

function repeated(values: string[]): string[] {
  const seen = new Set<string>()
  return values.filter((value) => seen.size === seen.add(value).size)
}
