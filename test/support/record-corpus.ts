// Valid records of many kinds, and mutations of them that are rarely valid.

import type { Collection } from '../../src/base/atproto/collections.ts'
import type { JsonObject } from '../../src/base/util/json-object.ts'
import type { Random } from './random.ts'
import { blobOf, cidOf, didOf, tidAt } from './records.ts'

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
const video = {
  $type: 'app.bsky.embed.video',
  video: blobOf('moving', 'video/mp4'),
  captions: [{ lang: 'en', file: blobOf('said', 'text/vtt') }],
}
const images = { $type: 'app.bsky.embed.images', images: [image, { ...image, alt: '' }] }

export const recordSamples: [Collection, JsonObject][] = [
  ['app.bsky.feed.like', { subject: ref, createdAt, via: ref }],
  ['app.bsky.feed.repost', { subject: ref, createdAt }],
  ['app.bsky.graph.follow', { subject: alice, createdAt }],
  ['app.bsky.graph.block', { subject: alice, createdAt }],
  ['app.bsky.graph.listitem', { subject: alice, list: listUri, createdAt }],
  ['app.bsky.graph.listblock', { subject: listUri, createdAt }],
  ['app.bsky.feed.post', { text: '', createdAt, embed: video }],
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
  blobOf('x', 'text/html'),
  blobOf('x', 'video/mp4'),
  blobOf('x', 'text/vtt', 20_001),
  blobOf('x', 'image/png', 50_000_000),
  { ...blobOf('x'), size: 0.5 },
  { ...blobOf('x'), extra: 1 },
  { cid: cidOf('x'), mimeType: 'image/png' },
  'https://example.org/ with space',
  'https:///',
  'http:x',
  'at://x',
  'en-us',
  'x-private',
  'EN',
  'english',
  2 ** 53,
  -0,
  { uri: postUri, cid: 'x' },
  { $type: 'com.atproto.repo.strongRef', ...ref },
  { $type: 'app.bsky.embed.record', ...ref },
  { uri: postUri, cid: 'zdpuAsSPMBj8dWMgsvm5HyfYxjd3EkhDMmQBLvfDyqTgMUqKS' },
]

/** Changes one value, anywhere in the structure. */
export function mutateRecord(random: Random, record: JsonObject): JsonObject {
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
