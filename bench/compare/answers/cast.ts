// Whom and what the recorded requests are about: viewers, and for each parameter the values to ask with. They
// include accounts that left, records that are gone, and names that nobody has.

import type { Random } from '../../../test/support/random.ts'
import type { TimedAct } from './act.ts'
import type { RecordedActs } from './acts.ts'
import { BLOCKER, KEEN, LABELER, QUIET, uri } from './member-acts.ts'

export type Cast = {
  /** Members; the visitor is `undefined`, and `stranger` is no member. */
  viewers: readonly (string | undefined)[]
  stranger: string
  posts: readonly string[]
  lists: readonly string[]
  feeds: readonly string[]
  packs: readonly string[]
  people: readonly string[]
  /** Values to ask with, by the parameter's name, or by method and name. */
  values: Record<string, readonly unknown[]>
}

export const NOBODY = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const NOWHERE = uri(NOBODY, 'feed.post', 'nowhere')

export function castOf({ world, past, present, verifier }: RecordedActs, random: Random): Cast {
  const people = [...world.accounts.keys()]
  const made = urisOf([...past, ...present])
  const some = (collection: string, count: number) =>
    sample(made.get(`app.bsky.${collection}`) ?? [], count, random)
  const names = ['root', 'own', 'answer', 'night'].map((name, i) =>
    uri([KEEN, KEEN, QUIET, QUIET][i]!, 'feed.post', name),
  )
  const posts = [...names, ...some('feed.post', 16), NOWHERE]
  const own = ['curated', 'moderated', 'referred'].map((name) => uri(KEEN, 'graph.list', name))
  const lists = [...own, ...some('graph.list', 5), uri(NOBODY, 'graph.list', 'none')]
  const feeds = [
    ...['good', 'other'].map((name, i) => uri([KEEN, BLOCKER][i]!, 'feed.generator', name)),
    ...some('feed.generator', 4),
    uri(NOBODY, 'feed.generator', 'none'),
  ]
  const packs = [uri(KEEN, 'graph.starterpack', 'pack'), ...some('graph.starterpack', 4)]
  const records = [...posts.slice(0, 6), ...lists.slice(0, 2), ...feeds.slice(0, 3), ...packs]
  const parts = { people, posts, lists, feeds, packs }
  return {
    ...parts,
    viewers: [undefined, KEEN, QUIET, BLOCKER, verifier],
    stranger: people[20]!,
    values: { ...valuesFor(parts), record: records },
  }
}

/** Every record ever written, also those deleted later. */
function urisOf(acts: readonly TimedAct[]): Map<string, string[]> {
  const found = new Map<string, Set<string>>()
  for (const act of acts) {
    if (act.kind !== 'put') continue
    const uris = found.get(act.collection) ?? new Set()
    found.set(act.collection, uris.add(`at://${act.did}/${act.collection}/${act.rkey}`))
  }
  return new Map([...found].map(([collection, uris]) => [collection, [...uris]]))
}

function sample<T>(items: readonly T[], count: number, random: Random): T[] {
  const drawn = Array.from({ length: Math.min(count, items.length) }, () => random.pick(items))
  return [...new Set(drawn)]
}

type Subjects = Pick<Cast, 'people' | 'posts' | 'lists' | 'feeds' | 'packs'>

function valuesFor({ people, posts, lists, feeds, packs }: Subjects): Cast['values'] {
  const [away, back, banned, gone] = [16, 17, 18, 19].map((i) => people[i]!)
  const left = [away!, banned!, gone!]
  const named = ['keen.test', 'renamed.test', 'account3.test', 'nobody.test']
  const actors = [KEEN, QUIET, BLOCKER, ...people.slice(0, 9), back!, ...left, ...named, NOBODY]
  const groups = [actors.slice(0, 12), actors.slice(8), [KEEN, KEEN]]
  const members = [[KEEN], [people[1]!, people[2]!]]
  return {
    actor: actors,
    actors: groups,
    others: [...groups.slice(0, 1), [...people.slice(0, 8), NOBODY]],
    subjects: groups,
    dids: [people.slice(0, 12), [LABELER, ...people.slice(12, 20)]],
    did: [KEEN, banned],
    handle: ['keen.test', 'quiet.test', 'account2.test', ...named.slice(1)],
    author: [KEEN, 'quiet.test', people[2]],
    mentions: [QUIET],
    authors: members,
    excludeAuthors: members,
    uri: [...posts, feeds[0], lists[0]],
    anchor: posts,
    blob: [],
    cid: [],
    feed: feeds,
    feeds: [feeds, feeds.slice(0, 1)],
    list: lists,
    starterPack: packs,
    uris: [posts.slice(0, 12), posts.slice(10), posts.slice(0, 1)],
    'app.bsky.graph.getStarterPacks uris': [packs, packs.slice(0, 1)],
    uriPatterns: [posts.slice(0, 4), people.slice(0, 5), ['*'], [`${KEEN}*`]],
    sources: [[LABELER]],
    ...searchValues(posts),
    purposes: [['modlist'], ['curatelist', 'modlist'], ['no such purpose']],
    reasons: [['like'], ['reply', 'mention', 'quote'], ['follow'], ['no-such-reason']],
    seenAt: ['2026-01-01T00:00:00.000Z'],
    category: ['art'],
    algorithm: ['none of ours'],
    countryCode: ['GB'],
    regionCode: ['ENG'],
    viewer: [QUIET],
  }
}

function searchValues(posts: readonly string[]): Cast['values'] {
  const words = ['coffee', 'train', 'keen', 'account', 'cats', 'list', 'start', 'good', 'zzzyzx']
  const operators = ['"slow train"', 'coffee -train', 'from:keen.test thread', '#cats', '* OR ("']
  return {
    q: [...words, ...operators],
    query: [...words, ...operators],
    term: ['keen'],
    lang: ['de'],
    languages: [['de']],
    excludeLanguages: [['en']],
    domain: ['page.test'],
    domains: [['page.test']],
    excludeDomains: [['page.test']],
    url: ['https://page.test/'],
    urls: [['https://page.test/']],
    excludeUrls: [['https://page.test/']],
    tag: [['cats']],
    hashtags: [['cats']],
    excludeHashtags: [['cats']],
    embeddedAtUris: [[posts[0]!]],
    excludeEmbeddedAtUris: [[posts[0]!]],
    excludeMentions: [[QUIET]],
    replyParentUri: [posts[0]],
    threadRootUri: [posts[0]],
    since: ['2026-01-01', '2026-01-01T00:00:00.000Z'],
    until: ['2036-01-01', '2036-01-01T00:00:00.000Z', '2026-01-01'],
  }
}
