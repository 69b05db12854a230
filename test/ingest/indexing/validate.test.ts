// The quick checks must never accept what the lexicon validator refuses, and validation as a whole must give
// the validator's verdict. Mutations of valid records search for a difference.

import { readFileSync } from 'node:fs'
import { schemas } from '@atproto/api'
import { jsonToLex, Lexicons } from '@atproto/lexicon'
import { isValidDatetime } from '@atproto/syntax'
import { describe, expect, it } from 'vitest'
import type { Collection } from '../../../src/base/atproto/collections.ts'
import type { JsonObject } from '../../../src/base/event.ts'
import { isPlainRecord } from '../../../src/ingest/indexing/plain-records.ts'
import { isValidRecord } from '../../../src/ingest/indexing/validate.ts'
import { createRandom, type Random } from '../../support/random.ts'
import { blobOf, cidOf, didOf, tidAt } from '../../support/records.ts'

const SEED = Number(process.env['SEED'] ?? 20261121)
const MUTATIONS = 30_000

// Judged with all of the official lexicons, not only with the part that we keep.
const official = new Lexicons(schemas)

/** The library's verdict, with datetimes checked as strictly as the reference does. */
function isOfficiallyValid(collection: Collection, record: JsonObject): boolean {
  const { createdAt } = record
  if (typeof createdAt === 'string' && !isValidDatetime(createdAt)) return false
  try {
    official.assertValidRecord(collection, jsonToLex(structuredClone(record)))
    return true
  } catch {
    return false
  }
}

const createdAt = '2026-11-01T12:00:00.000Z'
const alice = didOf('alice')
const postUri = `at://${alice}/app.bsky.feed.post/${tidAt(1_793_534_400_000_000)}`
const listUri = `at://${alice}/app.bsky.graph.list/${tidAt(1_793_534_400_000_001)}`
const ref = { uri: postUri, cid: cidOf('a post') }
const image = { image: blobOf('picture'), alt: 'a picture', aspectRatio: { width: 3, height: 2 } }
const facet = {
  index: { byteStart: 0, byteEnd: 5 },
  features: [{ $type: 'app.bsky.richtext.facet#mention', did: alice }],
}

const features = [
  { $type: 'app.bsky.richtext.facet#link', uri: 'https://example.org/a?b=c#d' },
  { $type: 'app.bsky.richtext.facet#tag', tag: 'tag' },
]
const external = {
  uri: 'https://example.org/',
  title: 'title',
  description: 'what it is',
  thumb: blobOf('thumb'),
}
const images = { $type: 'app.bsky.embed.images', images: [image, { ...image, alt: '' }] }

const samples: [Collection, JsonObject][] = [
  ['app.bsky.feed.like', { subject: ref, createdAt, via: ref }],
  ['app.bsky.feed.repost', { subject: ref, createdAt }],
  ['app.bsky.graph.follow', { subject: alice, createdAt }],
  ['app.bsky.graph.block', { subject: alice, createdAt }],
  ['app.bsky.graph.listitem', { subject: alice, list: listUri, createdAt }],
  ['app.bsky.graph.listblock', { subject: listUri, createdAt }],
  ['app.bsky.graph.list', { name: 'a list', purpose: 'app.bsky.graph.defs#modlist', createdAt }],
  ['app.bsky.actor.profile', { displayName: 'Alice', avatar: blobOf('face'), createdAt }],
  ['app.bsky.feed.postgate', { post: postUri, createdAt, embeddingRules: [] }],
  ['app.bsky.feed.threadgate', { post: postUri, createdAt, allow: [] }],
  ['app.bsky.feed.post', { text: 'hello', createdAt, langs: ['en', 'de'] }],
  ['app.bsky.feed.post', { text: 'hello', createdAt, reply: { root: ref, parent: ref } }],
  ['app.bsky.feed.post', { text: 'hello', createdAt, facets: [facet], tags: ['one'] }],
  [
    'app.bsky.feed.post',
    { text: '', createdAt, embed: { $type: 'app.bsky.embed.images', images: [image] } },
  ],
  [
    'app.bsky.feed.post',
    { text: '', createdAt, embed: { $type: 'app.bsky.embed.record', record: ref } },
  ],
  [
    'app.bsky.feed.post',
    { text: 'a', createdAt, embed: { $type: 'app.bsky.embed.external', external } },
  ],
  [
    'app.bsky.feed.post',
    {
      text: 'a',
      createdAt,
      langs: ['pt-BR'],
      facets: [{ $type: 'app.bsky.richtext.facet', index: { byteStart: 0, byteEnd: 1 }, features }],
      embed: {
        $type: 'app.bsky.embed.recordWithMedia',
        record: { $type: 'app.bsky.embed.record', record: ref },
        media: images,
      },
    },
  ],
  [
    'app.bsky.actor.profile',
    { description: 'x', banner: blobOf('banner'), pinnedPost: ref, displayName: '' },
  ],
].map(([collection, record]) => [
  collection as Collection,
  { $type: collection, ...(record as JsonObject) },
])

const strangeValues: unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  '',
  'x'.repeat(301),
  'é'.repeat(3001),
  '👨‍👩‍👧‍👦'.repeat(60),
  [],
  {},
  [[]],
  '2026-02-30T00:00:00.000Z',
  '2026-02-29T00:00:00.000Z',
  '2024-02-29T23:59:59.999Z',
  '2026-04-31T12:00:00Z',
  '2026-01-31T12:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-01-01T00:00:60Z',
  '2026-01-01T00:00:00',
  '2026-01-01T00:00:00+02:00',
  '2026-01-01T00:00:00-00:00',
  '0000-01-01T00:00:00Z',
  'did:plc:short',
  'did:web:example.org',
  'did:plc:AAAAAAAAAAAAAAAAAAAAAAAA',
  'at://alice.test/app.bsky.feed.post/3kabc',
  `${postUri}/`,
  `${postUri}#fragment`,
  `at://${alice}`,
  `at://${alice}/app.bsky.feed.post/.`,
  'bafyreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zz',
  'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy',
  'QmY7Yh4UquoXHLPFo2XbhXkhBvFoPwmQUSa92pxnxjQuPU',
  { $link: cidOf('x') },
  blobOf('x'),
  { ...blobOf('x'), size: -1 },
  { ...blobOf('x'), size: 1e300 },
  { ...blobOf('x'), mimeType: '' },
  { cid: cidOf('x'), mimeType: 'image/png' },
  'https://example.org/ with space',
  'https:///',
  'http:x',
  'at://x',
  'en-us',
  'x-private',
  2 ** 53,
  -0,
  { uri: postUri, cid: 'x' },
]

/** Changes one value, anywhere in the structure. */
function mutate(random: Random, record: JsonObject): JsonObject {
  const copy = structuredClone(record)
  let node = copy as JsonObject | unknown[]
  for (;;) {
    const keys = Object.keys(node)
    if (keys.length === 0 || random.chance(0.05)) {
      ;(node as JsonObject)['extra'] = random.pick(strangeValues)
      return copy
    }
    const key = random.pick(keys) as never
    const child = node[key] as unknown
    if (typeof child === 'object' && child !== null && random.chance(0.7)) {
      node = child as JsonObject
      continue
    }
    if (random.chance(0.2) && !Array.isArray(node)) delete node[key]
    else node[key] = changed(random, child) as never
    return copy
  }
}

function changed(random: Random, value: unknown): unknown {
  if (typeof value !== 'string' || value === '' || random.chance(0.4)) {
    return random.pick(strangeValues)
  }
  const at = random.below(value.length)
  const characters = ['', 'a', 'Z', '0', '7', '9', '-', ':', '/', ' ', '\u0000', '漢', 'aa']
  return value.slice(0, at) + random.pick(characters) + value.slice(at + 1)
}

describe('validation', () => {
  it.each(samples)('accepts a usual %s', (collection, record) => {
    expect(isValidRecord(collection, record)).toBe(true)
    expect(isOfficiallyValid(collection, record)).toBe(true)
  })

  it(`gives the official verdict on ${MUTATIONS} mutated records (seed ${SEED})`, () => {
    const random = createRandom(SEED)
    let accepted = 0
    let plain = 0
    for (let i = 0; i < MUTATIONS; i++) {
      const [collection, sample] = random.pick(samples)
      let record = mutate(random, sample)
      if (random.chance(0.2)) record = mutate(random, record)
      const expected = record['$type'] === collection && isOfficiallyValid(collection, record)
      expect([isValidRecord(collection, record), record]).toEqual([expected, record])
      if (isPlainRecord(collection, record)) plain++
      if (expected) accepted++
    }
    expect(accepted).toBeGreaterThan(MUTATIONS / 20)
    expect(plain).toBeGreaterThan(MUTATIONS / 40)
    expect(accepted).toBeLessThan((MUTATIONS * 19) / 20)
  })

  it('accepts plain likes, reposts, follows, posts and profiles without the lexicon validator', () => {
    const plain = samples.filter(([collection, record]) => isPlainRecord(collection, record))
    expect(plain.map(([collection]) => collection)).toEqual([
      'app.bsky.feed.like',
      'app.bsky.feed.repost',
      'app.bsky.graph.follow',
      'app.bsky.graph.block',
      'app.bsky.graph.listitem',
      'app.bsky.actor.profile',
      ...Array(6).fill('app.bsky.feed.post'),
      'app.bsky.actor.profile',
    ])
  })

  it('refuses datetimes that violate the specification, and accepts unusual valid ones', () => {
    const post = (time: string) => ({ $type: 'app.bsky.feed.post', text: '', createdAt: time })
    const verdict = (time: string) => isValidRecord('app.bsky.feed.post', post(time))
    const sound = ['2026-01-01T00:00:00+02:00', '2026-01-01T00:00:00.123456Z']
    const unsound = [
      '2026-01-01',
      '2026-01-01T00:00:00',
      '2026-01-01T00:00:00-00:00',
      '2026-01-01T24:00:00Z',
      '2026-01-01T00:00:60Z',
      'yesterday',
    ]
    expect(sound.filter(verdict)).toEqual(sound)
    expect(unsound.filter(verdict)).toEqual([])
  })

  it('refuses a record of another type, and one nested too deep to walk', () => {
    const like = samples[0]![1]
    expect(isValidRecord('app.bsky.feed.repost', like)).toBe(false)
    const deep = JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`) as JsonObject
    expect(isValidRecord('app.bsky.feed.like', { ...like, deep })).toBe(false)
  })

  const production = '../shared/data/jetstream/production-v1-2026-07-04.jsonl'
  const lines = readLines(production)
  if (!lines) console.warn(`skipped: ${production} is missing`)
  it.skipIf(!lines)('agrees with the official lexicons on production records', () => {
    let checked = 0
    for (const line of lines!) {
      const { commit } = JSON.parse(line) as {
        commit?: { collection: string; record?: JsonObject }
      }
      if (!commit?.record || !official.get(commit.collection)) continue
      const collection = commit.collection as Collection
      if (!samples.some(([name]) => name === collection)) continue
      expect(isValidRecord(collection, commit.record)).toBe(
        isOfficiallyValid(collection, commit.record),
      )
      checked++
    }
    expect(checked).toBeGreaterThan(100)
  })
})

it('refuses an absurdly long record, even in fields unknown to the lexicon', () => {
  const post = (padding: number) => ({
    $type: 'app.bsky.feed.post',
    text: 'short',
    createdAt: '2026-11-21T00:00:00.000Z',
    unknown: 'x'.repeat(padding),
  })
  expect(isValidRecord('app.bsky.feed.post', post(50_000))).toBe(true)
  expect(isValidRecord('app.bsky.feed.post', post(100_000))).toBe(false)
})

function readLines(path: string): string[] | undefined {
  try {
    return readFileSync(path, 'utf8').trim().split('\n')
  } catch {
    return undefined
  }
}
