// MovieLens 100k (GroupLens; 943 people, 1,682 films, 100,000 dated ratings), as the package RecBole ships it.
// Ratings of four and five are likes. Of each person's likes, the last fifth is held out. Films do not age, so
// the engine reads all of it as within one day, without decay, and has room for all.

import { TUNING } from '../../src/features/for-you/engine/recommend.ts'
import type { BenchResult } from '../runner/result.ts'
import type { Python } from './als.ts'
import { itemCosine, mostLiked } from './baselines.ts'
import { type OwnLikes, pagesOf, play } from './engine-run.ts'
import type { Network } from './network.ts'
import { ndcg, type Pages, recall } from './scores.ts'

const FEWEST = 10
const BYTES = 16 << 20
const DAY = 1440
const AGELESS = 1e6

export function movieLensFigures(python: Python): BenchResult[] {
  const text = python.movieLens()
  if (text === undefined) return []
  const { network, own, held } = split(text)
  const figures = (who: string, pages: Pages): BenchResult[] => [
    { name: `for-you.movielens.${who}.recall50`, value: recall(pages, held), unit: 'share' },
    { name: `for-you.movielens.${who}.ndcg50`, value: ndcg(pages, held), unit: 'share' },
  ]
  const state = play(network, { bytes: BYTES, members: new Set(own.keys()), until: DAY })
  const tuning = {
    ...TUNING,
    readerHalfLife: AGELESS,
    likeHalfLife: AGELESS,
    perPost: 1000,
    perCoLiker: 1000,
    inAll: 1e6,
  }
  const readers = [...own.keys()]
  const als = python.als({
    liker: network.liker,
    post: network.post,
    readers: Int32Array.from(readers),
    fresh: new Uint8Array(network.postAuthor.length).fill(1),
  })
  const span = { from: 0, until: DAY }
  return [
    ...figures('engine', pagesOf(network, state, { own, tuning })),
    ...figures('most_liked', mostLiked(network, own, span)),
    ...figures('item_cosine', itemCosine(network, own, span)),
    ...figures('als', new Map(readers.map((reader, i) => [reader, als.all[i]!]))),
  ]
}

type Rating = { person: number; film: number; rating: number; time: number }

function read(text: string): Rating[] {
  const rows = text.trim().split('\n').slice(1)
  return rows.map((row) => {
    const [person, film, rating, time] = row.split('\t').map(Number)
    return { person: person!, film: film!, rating: rating!, time: time! }
  })
}

function split(text: string) {
  const likes = read(text).filter(({ rating }) => rating >= 4)
  likes.sort((a, b) => a.time - b.time || a.film - b.film)
  const held = new Map<number, Set<number>>()
  const retained: Rating[] = []
  for (const [person, theirs] of Map.groupBy(likes, ({ person }) => person)) {
    const first = theirs.length < FEWEST ? theirs.length : Math.floor(theirs.length * 0.8)
    retained.push(...theirs.slice(0, first))
    if (first < theirs.length) held.set(person, new Set(theirs.slice(first).map(filmOf)))
  }
  retained.sort((a, b) => a.time - b.time)
  const network = asNetwork(retained, likes)
  return { network, held, own: ownLikes(retained, held) }
}

function filmOf({ film }: Rating): number {
  return film
}

function asNetwork(likes: readonly Rating[], all: readonly Rating[]): Network {
  const films = Math.max(...all.map(filmOf)) + 1
  const people = Math.max(...all.map(({ person }) => person)) + 1
  return {
    people,
    liker: Int32Array.from(likes, ({ person }) => person),
    post: Int32Array.from(likes, filmOf),
    minute: Float64Array.from(likes, (_, i) => (i / likes.length) * DAY * 0.99),
    postAuthor: Int32Array.from({ length: films }, (_, film) => people + film),
    postMinute: new Float64Array(films),
    firstHostile: people,
    firstRingPost: films,
    endMinute: DAY,
  }
}

function ownLikes(likes: readonly Rating[], held: ReadonlyMap<number, unknown>): OwnLikes {
  const own = new Map<number, { post: number; minute: number }[]>()
  for (let i = likes.length - 1; i >= 0; i--) {
    const { person, film } = likes[i]!
    if (!held.has(person)) continue
    const list = own.get(person) ?? []
    list.push({ post: film, minute: DAY / 2 })
    own.set(person, list)
  }
  return own
}
