// Link cards of articles and publications (standard.site): case by case, and random ones beside the reference's own.

import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createHydrator } from '../../../../src/answers/hydrate/hydrator.ts'
import { createReader } from '../../../../src/answers/hydrate/reader.ts'
import { createMediaUrls } from '../../../../src/answers/views/media-urls.ts'
import { postView } from '../../../../src/answers/views/posts/post-view.ts'
import { isArticleAt } from '../../../../src/answers/views/posts/standard-site-url.ts'
import { packRkey } from '../../../../src/base/atproto/keys.ts'
import type { JsonObject } from '../../../../src/base/util/json-object.ts'
import { findPost } from '../../../../src/data/store/posts/posts.ts'
import { overTheWire } from '../../../support/hydration.ts'
import {
  cardEmbed,
  DOCUMENT,
  documentRecord,
  type Pinned,
  PUBLICATION,
  publicationRecord,
} from '../../../support/long-form.ts'
import { createRandom, type Random } from '../../../support/random.ts'
import { blobOf } from '../../../support/records.ts'
import {
  referenceHome,
  referenceIsInstalled,
  referenceUrlPatterns,
  referenceWith,
} from '../../../support/reference-appview.ts'
import { testSeed } from '../../../support/seed.ts'
import { createWorld, type World } from '../../../support/world.ts'

let world: World
afterEach(() => world?.dispose())

/** biome-ignore lint/suspicious/noExplicitAny: JSON is looked into at will here. */
type Seen = any

/** A member follows a blogger, whose records are announced by a post before they arrive. */
function start() {
  world = createWorld({ members: ['ann'] })
  const [ann, ben] = [world.account('ann'), world.account('ben')]
  world.follow(ann, ben)
  world.profile(ben, { displayName: 'Ben' })
  world.handle(ben, 'ben.example.org')
  const uri = (collection: string, rkey: string) => `at://${ben}/${collection}/${rkey}`
  /** Stores a record that only the post's reference makes ours. */
  function pinned(collection: string, record: JsonObject, rkey: string): Pinned {
    const events = world.hold(() => world.write({ did: ben, collection, rkey, record }))
    const { cid } = events[0] as unknown as Pinned
    later.push(...events)
    return { uri: uri(collection, rkey), cid }
  }
  const later: Parameters<World['apply']>[0] = []
  return {
    ann,
    ben,
    publication: (more: JsonObject = {}) => pinned(PUBLICATION, publicationRecord(more), 'self'),
    article: (site: string, more: JsonObject = {}) =>
      pinned(DOCUMENT, documentRecord(site, more), '3kaaaaaaaaaaa'),
    /** Posts the card, then lets the records arrive. */
    post(embed: JsonObject, arrive = true): string {
      const post = world.post(ann, { embed })
      if (arrive) world.apply(later.splice(0))
      return post.uri
    },
    arrive: () => world.apply(later.splice(0)),
    siteUri: uri(PUBLICATION, 'self'),
  }
}

function embedOf(uri: string, viewer?: string): Seen {
  const { reader: db, actors, graph } = world
  const hydrator = hydrators.get(world) ?? createHydrator({ db, actors, graph, urls })
  hydrators.set(world, hydrator)
  const [, , did = '', , rkey = ''] = uri.split('/')
  const { id } = findPost(db, world.uid(did), packRkey(rkey))!
  const reader = createReader(
    viewer === undefined ? undefined : { did: viewer, uid: world.uid(viewer) },
  )
  const state = hydrator.posts([id], reader)
  reader.missing.addFeed(state)
  missing = [...reader.missing.cards]
  return (overTheWire(postView(state, id)) as Seen).embed
}
let missing: string[] = []
const urls = createMediaUrls(referenceUrlPatterns)
const hydrators = new WeakMap<World, ReturnType<typeof createHydrator>>()

test('an article of a publication: source, theme, times, reading time and author', () => {
  const { ann, ben, article, publication, post, siteUri } = start()
  const refs = [article(siteUri), publication()]
  const { external } = embedOf(post(cardEmbed(refs)), ann)
  const icon = (blobOf('icon', 'image/png').ref as Seen).$link
  const { associatedProfiles, source, ...rest } = external
  expect(rest).toEqual({
    uri: 'https://blog.example.org/2026/05/dovetails',
    title: 'Dovetails by hand',
    description: 'A joint that needs no glue.',
    thumb: `https://img.test/feed_thumbnail/plain/${ben}/${blobOf('cover').ref.$link}`,
    createdAt: '2026-05-20T08:00:00.000Z',
    updatedAt: '2026-05-21T09:30:00.000Z',
    readingTime: 3,
    associatedRefs: refs,
  })
  expect(source).toMatchObject({
    uri: 'https://blog.example.org',
    title: 'Notes from the shed',
    description: 'Wood, glue and patience',
    icon: `https://img.test/avatar/plain/${ben}/${icon}`,
  })
  expect(source.theme.backgroundRGB).toMatchObject({ r: 255, g: 250, b: 240 })
  expect(associatedProfiles.map(({ handle }: Seen) => handle)).toEqual(['ben.example.org'])
  expect(missing).toEqual([])
})

test('a link stays a link until both records are here, and names itself as lacking them', () => {
  const { ann, article, publication, post, arrive, siteUri } = start()
  const uri = post(cardEmbed([article(siteUri), publication()]), false)
  const link = embedOf(uri, ann).external
  expect([link.title, link.source]).toEqual(['Dovetails by hand – Notes from the shed', undefined])
  expect(missing).toEqual([`${uri}#card`])
  arrive()
  expect(embedOf(uri, ann).external.source.title).toBe('Notes from the shed')
})

test('a later version changes nothing, a deletion makes it a link again', () => {
  const { ann, ben, article, publication, post, siteUri } = start()
  const uri = post(cardEmbed([article(siteUri), publication()]))
  const record = publicationRecord({ name: 'Renamed' })
  world.write({ did: ben, collection: PUBLICATION, rkey: 'self', record, operation: 'update' })
  expect(embedOf(uri, ann).external.source.title).toBe('Notes from the shed')
  world.delete(siteUri)
  expect(embedOf(uri, ann).external.source).toBeUndefined()
})

test('the post’s own picture is shown rather than the article’s', () => {
  const { ann, article, publication, post, siteUri } = start()
  const embed = cardEmbed([article(siteUri), publication()], { thumb: blobOf('page') })
  expect(embedOf(post(embed)).external.thumb).toContain(`${ann}/${blobOf('page').ref.$link}`)
})

describe('a link stays a link', () => {
  const wrong: Record<string, (of: ReturnType<typeof start>) => JsonObject> = {
    'if the article names another publication': ({ article, publication, ann }) =>
      cardEmbed([article(`at://${ann}/${PUBLICATION}/self`), publication()]),
    'if the article’s publication is not named': ({ article, siteUri }) =>
      cardEmbed([article(siteUri)]),
    'if another version is named': ({ article, publication, siteUri }) =>
      cardEmbed([{ ...article(siteUri), cid: publication().cid }, publication()]),
    'if the article is at another address': ({ article, publication, siteUri }) =>
      cardEmbed([article(siteUri, { path: '/elsewhere' }), publication()]),
    'if the address is of another protocol': ({ article, publication, siteUri }) =>
      cardEmbed([article(siteUri), publication()], {
        uri: 'http://blog.example.org/2026/05/dovetails',
      }),
  }
  test.each(Object.entries(wrong))('%s', (_, embed) => {
    const setup = start()
    const uri = setup.post(embed(setup))
    const { external } = embedOf(uri, setup.ann)
    expect(external.title).toBe('Dovetails by hand – Notes from the shed')
    expect(Object.keys(external).sort()).toEqual(['associatedRefs', 'description', 'title', 'uri'])
  })

  test('if the account is away, or its content is for members only and a visitor asks', () => {
    const { ann, ben, article, publication, post, siteUri } = start()
    const uri = post(cardEmbed([article(siteUri), publication()]))
    const values = [{ val: '!no-unauthenticated' }]
    const labels = { $type: 'com.atproto.label.defs#selfLabels', values }
    world.write({
      did: ben,
      collection: 'app.bsky.actor.profile',
      rkey: 'self',
      operation: 'update',
      record: { displayName: 'Ben', labels },
    })
    expect(embedOf(uri).external.source).toBeUndefined()
    expect(embedOf(uri, ann).external.source).toBeDefined()
    world.status(ben, 'deactivated')
    expect(embedOf(uri, ann).external.source).toBeUndefined()
  })
})

test('an article without a publication, and a publication by itself', () => {
  const { ann, article, post } = start()
  const loose = embedOf(post(cardEmbed([article('https://blog.example.org')])), ann).external
  expect([loose.title, loose.source]).toEqual(['Dovetails by hand', undefined])
  world.dispose()
  const other = start()
  const embed = cardEmbed([other.publication()], { uri: 'https://BLOG.example.org/?utm=x' })
  const home = embedOf(other.post(embed), other.ann).external
  expect([home.title, home.readingTime]).toEqual(['Notes from the shed', undefined])
})

test('beside a quoted post, too', () => {
  const { ann, ben, article, publication, post, siteUri } = start()
  const quoted = world.post(ben)
  const media = cardEmbed([article(siteUri), publication()])
  const record = { $type: 'app.bsky.embed.record', record: quoted }
  const embed = embedOf(post({ $type: 'app.bsky.embed.recordWithMedia', media, record }), ann)
  expect(embed.media.external.source.title).toBe('Notes from the shed')
})

if (!referenceIsInstalled) console.warn('SKIPPED: no reference; run npm ci in test/e2e')

describe.skipIf(!referenceIsInstalled)('random ones equal the reference’s', () => {
  const seed = testSeed('external cards')

  test('cards', async () => {
    const random = createRandom(seed)
    const { views } = (await referenceWith({})) as Seen
    let cards = 0
    const { ann, ben, post } = start()
    for (let i = 0; i < 150; i++) {
      const { embed, records } = randomCard(random, ben, `self${i}`)
      const uri = post(embed)
      for (const { collection, rkey, record } of records)
        world.write({ did: ben, collection, rkey, record })
      const { associatedProfiles: _, ...ours } = embedOf(uri, ann).external
      const state = referenceState(records, ben)
      const theirs = overTheWire(views.externalEmbed(ann, withCids(embed), state)) as Seen
      expect(ours, `round ${i}: ${JSON.stringify(embed)}`).toEqual(theirs.external)
      if (ours.source || ours.createdAt) cards++
    }
    expect(cards).toBeGreaterThan(20)
  })

  test('addresses', async () => {
    const random = createRandom(seed)
    const theirs = (await import(join(referenceHome, 'util/standard-site.js'))) as Seen
    for (let i = 0; i < 5_000; i++) {
      const [link, base, path] = [randomUrl(random), randomUrl(random), random.pick(PATHS)]
      const info = { record: { site: base, path } }
      const expected = theirs.validateStandardSiteForUrl({ info }, undefined, link)
      expect(isArticleAt(link, base, path), `${link} ${base} ${path}`).toBe(expected)
    }
  })
})

const PATHS = ['/a', 'a', '/a/', '/a/b', '', undefined, '//a', '/a?b=c', '/a#b', '/%41', '../a']
const HOSTS = [
  'blog.example.org',
  'BLOG.example.org',
  'x.pckt.blog',
  'evilpckt.blog',
  'leaflet.pub',
]

function randomUrl(random: Random): string {
  if (random.chance(0.02))
    return random.pick(['not a url', 'ftp://x.pckt.blog/a', 'at://did:plc:x/y'])
  const scheme = random.chance(0.9) ? 'https' : 'http'
  const path = random.pick([
    '',
    '/',
    '/a',
    '/a/',
    '/a/b',
    '/a/b/c',
    '/ab',
    '/a?q=1',
    '/a#f',
    '/%41',
  ])
  return `${scheme}://${random.pick(HOSTS)}${random.chance(0.1) ? ':8443' : ''}${path}`
}

type Written = { collection: string; rkey: string; record: JsonObject; cid?: string }

/** A link, and records that often fit it. */
function randomCard(
  random: Random,
  did: string,
  rkey: string,
): { embed: JsonObject; records: Written[] } {
  const some = <T>(value: T, otherwise: T, often = 0.85) =>
    random.chance(often) ? value : otherwise
  const publication = publicationRecord({
    ...(random.chance(0.3) && { description: undefined, icon: undefined }),
    ...(random.chance(0.3) && { basicTheme: undefined }),
    url: some(
      'https://blog.example.org',
      random.pick(['https://x.pckt.blog', 'https://blog.example.org/b/']),
    ),
    name: some('Shed', ''),
  })
  const site = some(
    `at://${did}/${PUBLICATION}/${rkey}`,
    random.pick(['https://blog.example.org', `at://${did}/${PUBLICATION}/other`]),
  )
  const article = documentRecord(site, {
    path: some('/2026/05/dovetails', random.pick(['2026/05/dovetails', undefined, '/x'])),
    title: some('Dovetails', ''),
    ...(random.chance(0.3) && {
      description: undefined,
      updatedAt: undefined,
      coverImage: undefined,
    }),
    textContent: random.pick([
      '',
      ' \n ',
      'one',
      'word '.repeat(200),
      'word '.repeat(201),
      undefined,
    ]),
  })
  const records: Written[] = [
    { collection: DOCUMENT, rkey, record: article },
    { collection: PUBLICATION, rkey, record: publication },
  ].filter(() => random.chance(0.9))
  const refs = records.filter(() => random.chance(0.95)).map((record) => refOf(did, record))
  const embed = cardEmbed(random.chance(0.3) ? refs.reverse() : refs, {
    uri: some(
      'https://blog.example.org/2026/05/dovetails',
      random.pick(['https://blog.example.org/', 'https://x.pckt.blog/2026/05/dovetails/9']),
    ),
    ...(random.chance(0.4) && { thumb: blobOf('page') }),
  })
  return { embed, records: records.map((record) => ({ ...record, cid: refOf(did, record).cid })) }
}

function refOf(did: string, { collection, rkey, record }: Written): Pinned {
  const [event] = world.hold(() => world.write({ did, collection, rkey, record }))
  return { uri: `at://${did}/${collection}/${rkey}`, cid: (event as unknown as Pinned).cid }
}

/** A copy in which blobs name their CIDs by objects, as in the reference's memory. */
function withCids(value: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(value), (_, item) =>
    typeof item === 'object' && item !== null && '$link' in item
      ? { toString: () => item.$link }
      : item,
  )
}

/** As the reference's hydration leaves them: by at-URI and CID. */
function referenceState(records: readonly Written[], did: string) {
  const of = (name: string) =>
    new Map(
      records
        .filter(({ collection }) => collection === name)
        .map(({ collection, rkey, record, cid }) => [
          `at://${did}/${collection}/${rkey}@${cid}`,
          { record: withCids({ $type: collection, ...record }), cid },
        ]),
    )
  return { siteStandardDocuments: of(DOCUMENT), siteStandardPublications: of(PUBLICATION) }
}
