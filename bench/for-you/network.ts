// A seeded network of likes with latent tastes: niches in clusters, a few niches a person that change with time,
// posts whose quality and people whose activity follow a power law, and recency. One in a hundred accounts likes
// everything; rings like each other's posts.

import { createRandom, type Random } from '../../test/support/random.ts'

export type NetworkSize = { people: number; days: number; niches: number; postsADay: number }

export type Network = {
  people: number
  /** Parallel columns, by time. */
  liker: Int32Array
  post: Int32Array
  minute: Float64Array
  postAuthor: Int32Array
  postMinute: Float64Array
  /** From this number on, accounts are spammers or in rings. */
  firstHostile: number
  /** From this number on, posts are of rings. */
  firstRingPost: number
  endMinute: number
}

const DAY = 1440
const STEP = 10
const POST_HALF_LIFE = 6 * 60
const POST_WINDOW = 36 * 60
const NICHES_A_CLUSTER = 10
/** Shares of likes: of the own niches, of their clusters, of what everybody likes. */
const OWN = 0.68
const CLUSTER = 0.12
const MOVES_A_DAY = 0.1
const SPAMMERS = 0.01
const RINGS = 6
const RING_SIZE = 25
/**
 * What each account of a ring does a day: posts that all of it (or a share) like, likes by which it passes for one of a niche, and
 * likes at random that hide the ring.
 */
const MIMICRY = {
  usual: { posts: 8, niche: 0, noise: 0, share: 1 },
  mimic: { posts: 0.3, niche: 5, noise: 0, share: 1 },
  noisy: { posts: 0.3, niche: 5, noise: 5, share: 1 },
  loose: { posts: 0.3, niche: 5, noise: 5, share: 0.6 },
  sly: { posts: 0.3, niche: 20, noise: 10, share: 1 },
  twins: { posts: 0, niche: 20, noise: 10, share: 1 },
}

/**
 * Rings that also like some good posts; that like what a niche likes; that also hide; of which each post is liked by
 * some only; that like far more than most; and, to compare with, those without any posts of theirs.
 */
export type Hostile = keyof typeof MIMICRY | 'none'

type Person = { niches: number[]; likesADay: number }

const SPREAD = [0.6, 0.25, 0.15]

export function createNetwork(size: NetworkSize, seed: number, kind: Hostile = 'usual'): Network {
  const { people, days } = size
  const random = createRandom(seed)
  const hostile = createRandom(seed + 1)
  const persons = Array.from({ length: people }, () => person(random, size.niches))
  const posts = createPosts(size, random)
  const rows: [minute: number, liker: number, post: number][] = []
  for (let minute = 0; minute < days * DAY; minute += STEP) {
    if (minute % DAY === 0) for (const person of persons) drift(person, random, size.niches)
    const shelves = createShelves(posts, minute, size.niches)
    for (const [id, person] of persons.entries())
      likeSome({ id, one: person, minute, shelves, random, rows })
  }
  const ringPosts =
    kind === 'none' ? 0 : addHostile(rows, posts, { size, random: hostile, ...MIMICRY[kind] })
  const order = Array.from(rows.keys()).sort((a, b) => rows[a]![0] - rows[b]![0])
  const column = (i: 0 | 1 | 2) => order.map((row) => rows[row]![i])
  return {
    people,
    minute: Float64Array.from(column(0)),
    liker: Int32Array.from(column(1)),
    post: Int32Array.from(column(2)),
    postAuthor: Int32Array.from(posts.author),
    postMinute: Float64Array.from(posts.minute),
    firstHostile: people,
    firstRingPost: posts.author.length - ringPosts,
    endMinute: days * DAY,
  }
}

function person(random: Random, niches: number): Person {
  const likesADay = Math.min(80, 2 / Math.max(random.next(), 1e-3) ** 0.65)
  return { niches: [0, 1, 2].map(() => random.below(niches)), likesADay }
}

function drift(person: Person, random: Random, niches: number): void {
  if (random.next() < MOVES_A_DAY) person.niches[random.below(3)] = random.below(niches)
}

type Posts = ReturnType<typeof createPosts>

function createPosts({ days, niches, postsADay, people }: NetworkSize, random: Random) {
  const minute: number[] = []
  const author: number[] = []
  const quality: number[] = []
  const niche: number[] = []
  const count = days * postsADay
  for (let i = 0; i < count; i++) {
    minute.push((i / count) * days * DAY)
    const its = random.below(niches)
    niche.push(its)
    // A niche has some forty authors.
    author.push((its * 40 + Math.floor(40 * random.next() ** 2)) % people)
    quality.push(1 / Math.max(random.next(), 1e-3) ** 0.8)
  }
  return { minute, author, quality, niche }
}

type Shelf = { posts: number[]; sums: number[] }

/** What may be liked now, by niche; the last shelf has all. */
function createShelves(posts: Posts, now: number, niches: number): Shelf[] {
  const shelves: Shelf[] = Array.from({ length: niches + 1 }, () => ({ posts: [], sums: [] }))
  const perMinute = posts.minute.length / (posts.minute.at(-1)! || 1)
  const first = Math.max(0, Math.floor((now - POST_WINDOW) * perMinute) - 1)
  for (let i = first; i < posts.minute.length && posts.minute[i]! <= now; i++) {
    const weight = posts.quality[i]! * 2 ** (-(now - posts.minute[i]!) / POST_HALF_LIFE)
    put(shelves[posts.niche[i]!]!, i, weight)
    // What everybody likes is much more uneven.
    put(shelves[niches]!, i, weight ** 2)
  }
  return shelves
}

function put(shelf: Shelf, post: number, weight: number): void {
  shelf.posts.push(post)
  shelf.sums.push((shelf.sums.at(-1) ?? 0) + weight)
}

function pick({ posts, sums }: Shelf, random: Random): number | undefined {
  const wanted = random.next() * (sums.at(-1) ?? 0)
  let [low, high] = [0, sums.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if (sums[middle]! < wanted) low = middle + 1
    else high = middle
  }
  return posts[low]
}

type Turn = {
  id: number
  one: Person
  minute: number
  shelves: Shelf[]
  random: Random
  rows: [number, number, number][]
}

const alreadyLiked = new Map<number, Set<number>>()

function likeSome({ id, one: person, minute, shelves, random, rows }: Turn): void {
  if (minute === 0) alreadyLiked.set(id, new Set())
  const liked = alreadyLiked.get(id)!
  const expected = (person.likesADay * STEP) / DAY
  let count = Math.floor(expected) + (random.next() < expected % 1 ? 1 : 0)
  for (; count > 0; count--) {
    const post = pick(shelves[nicheFor(person, random, shelves.length - 1)]!, random)
    if (post === undefined || liked.has(post)) continue
    liked.add(post)
    rows.push([minute + random.next() * STEP, id, post])
  }
}

function nicheFor(person: Person, random: Random, niches: number): number {
  const draw = random.next()
  const which = random.next()
  const own = person.niches[which < SPREAD[0]! ? 0 : which < SPREAD[0]! + SPREAD[1]! ? 1 : 2]!
  if (draw < OWN) return own
  if (draw > OWN + CLUSTER) return niches
  const cluster = own - (own % NICHES_A_CLUSTER)
  return Math.min(niches - 1, cluster + random.below(NICHES_A_CLUSTER))
}

type HostileParts = {
  size: NetworkSize
  random: Random
  posts: number
  niche: number
  noise: number
  share: number
}

/** @returns how many posts the rings wrote */
function addHostile(
  rows: [number, number, number][],
  posts: Posts,
  { size, random, posts: postsADay, niche, noise, share }: HostileParts,
): number {
  const spammers = Math.ceil(size.people * SPAMMERS)
  const honest = posts.minute.length
  for (let i = 0; i < spammers; i++) spam(rows, posts, size.people + i, random)
  for (let ring = 0; ring < RINGS; ring++) {
    const first = size.people + spammers + ring * RING_SIZE
    for (let k = 0; k < size.days * postsADay * RING_SIZE; k++) {
      const minute = random.next() * size.days * DAY
      const id = posts.minute.length
      posts.minute.push(minute)
      posts.author.push(first + random.below(RING_SIZE))
      for (let i = 0; i < RING_SIZE; i++) {
        const likes = share === 1 || random.next() < share
        if (likes) rows.push([minute + random.next() * 60, first + i, id])
      }
    }
    joinIn(rows, honest, posts, { first, random, size })
    const [own, all] = shelvesOf(posts, honest, ring % size.niches)
    for (let i = 0; i < RING_SIZE; i++) {
      likeFrom(rows, posts, own, { id: first + i, random, count: size.days * niche })
      likeFrom(rows, posts, all, { id: first + i, random, count: size.days * noise })
    }
  }
  return posts.minute.length - honest
}

/** Honest posts of a niche, and of all, by quality. */
function shelvesOf(posts: Posts, honest: number, niche: number): [Shelf, Shelf] {
  const own: Shelf = { posts: [], sums: [] }
  const all: Shelf = { posts: [], sums: [] }
  for (let i = 0; i < honest; i++) {
    put(all, i, 1)
    if (posts.niche[i] === niche) put(own, i, posts.quality[i]!)
  }
  return [own, all]
}

function likeFrom(
  rows: [number, number, number][],
  posts: Posts,
  shelf: Shelf,
  { id, random, count }: { id: number; random: Random; count: number },
): void {
  const liked = new Set<number>()
  for (let i = 0; i < count; i++) {
    const post = pick(shelf, random)
    if (post === undefined || liked.has(post)) continue
    liked.add(post)
    rows.push([posts.minute[post]! + random.next() * 180, id, post])
  }
}

/** Likes a third of everything, within an hour. */
function spam(rows: [number, number, number][], posts: Posts, id: number, random: Random): void {
  const honest = posts.quality.length
  const share = Math.min(0.33, 6000 / honest)
  for (let post = 0; post < honest; post++) {
    if (random.next() < share) rows.push([posts.minute[post]! + random.next() * 60, id, post])
  }
}

/** Rings also like some good posts, to be found by those who like these. */
function joinIn(
  rows: [number, number, number][],
  honest: number,
  posts: Posts,
  { first, random, size }: { first: number; random: Random; size: NetworkSize },
): void {
  for (let i = 0; i < RING_SIZE; i++) {
    for (let k = 0; k < size.days * 5; k++) {
      const post = random.below(honest)
      if (posts.quality[post]! < 3) continue
      rows.push([posts.minute[post]! + random.next() * 120, first + i, post])
    }
  }
}
