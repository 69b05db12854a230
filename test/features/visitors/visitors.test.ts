// Pages for visitors over a small world: what previews read, feeds, hostile strings, and whom they leave out.

import { afterEach, expect, test } from 'vitest'
import { visitorRoutes } from '../../../src/features/visitors/routes.ts'
import { blobOf, didOf } from '../../support/records.ts'
import { createServingWorld, type ServingWorld } from '../../support/serving-world.ts'

const [alice, bob] = ['alice', 'bob'].map(didOf) as [string, string]
const EVIL = '"><script>alert(1)</script><img src=x onerror=alert(1)>'
const ORIGIN = 'https://appview.example.org'
const config = {
  hostname: 'appview.example.org',
  publicOrigin: ORIGIN,
  imageUrlPattern: 'https://cdn.example.org/{preset}/{did}/{cid}',
  videoThumbnailUrlPattern: 'https://video.example.org/{did}/{cid}',
}

let w: ServingWorld
afterEach(() => w?.dispose())

function start() {
  w = createServingWorld({ scope: 'network', members: ['alice'] })
  w.profile(alice, { displayName: 'Alice', description: 'writes' })
  w.profile(bob, { displayName: 'Bob' })
  const routes = visitorRoutes(config, async (request) => w.server.fetch(request))
  return async (path: string, headers: Record<string, string> = {}) => {
    const answer = await routes.request(path, { headers })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }
}

const selfLabels = (...vals: string[]) => ({
  $type: 'com.atproto.label.defs#selfLabels',
  values: vals.map((val) => ({ val })),
})

test('a post has what previews of links read, and one address', async () => {
  const get = start()
  const { uri } = w.post(alice, 'a post with “words”')
  const rkey = uri.split('/').at(-1)
  const { status, headers, text } = await get(`/profile/${alice}/post/${rkey}`)
  expect(status).toBe(200)
  expect(text).toContain('<meta property="og:title" content="Alice: a post with “words”">')
  expect(text).toMatch(
    /<link rel="canonical" href="https:\/\/appview\.example\.org\/profile\/[^"]+\/post\//,
  )
  expect(text).toContain(`<link rel="alternate" href="${uri}">`)
  expect(text).toMatch(/<meta property="article:published_time" content="\d{4}-[^"]+Z">/)
  expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(text).not.toContain('<script')
})

test('a profile shows its posts, and leads to a feed that readers understand', async () => {
  const get = start()
  w.post(alice, `first & ${EVIL}`)
  w.post(alice, 'second')
  const page = await get(`/profile/${alice}`)
  expect(page.text).toContain('<title>Alice (')
  expect(page.text).toContain('application/atom+xml')
  expect(page.text).not.toMatch(/<script|<img src=x/)
  const feed = await get(`/profile/${alice}/feed.atom`)
  expect(feed.headers.get('content-type')).toContain('application/atom+xml')
  expect(feed.text.match(/<entry>/g)).toHaveLength(2)
  expect(feed.text).not.toMatch(/<script|<img/)
  expect(feed.text).toContain(`<id>${ORIGIN}/profile/`)
  const etag = feed.headers.get('etag')
  expect(etag).not.toBe(null)
})

test('entries of a feed stay the same for feed readers when the handle changes', async () => {
  const get = start()
  const { uri } = w.post(alice, 'first')
  const ids = async () => {
    const { text } = await get(`/profile/${alice}/feed.atom`)
    return [...text.matchAll(/<id>(.*?)<\/id>/g)].map(([, id]) => id!)
  }
  const before = await ids()
  expect(before).toEqual([
    `${ORIGIN}/profile/${alice}`,
    `${ORIGIN}/profile/${alice}/post/${uri.split('/').at(-1)}`,
  ])
  w.handle(alice, 'alice.example.org')
  expect((await get(`/profile/${alice}/feed.atom`)).text).toContain(
    '/profile/alice.example.org/post/',
  )
  expect(await ids()).toEqual(before)
  for (const id of before) expect((await get(id.slice(ORIGIN.length))).status).toBe(200)
})

test('a preview shows the picture of a post large, and a face small', async () => {
  const get = start()
  const $link = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
  const picture = { $type: 'blob', ref: { $link }, mimeType: 'image/jpeg', size: 9 }
  w.profile(alice, { displayName: 'Alice', avatar: picture })
  const card = async (path: string) =>
    /name="twitter:card" content="(.*?)"/.exec((await get(path)).text)?.[1]
  const images = [{ image: picture, alt: 'a walrus' }]
  const { uri } = w.create(alice, 'app.bsky.feed.post', {
    text: 'look',
    embed: { $type: 'app.bsky.embed.images', images },
    createdAt: new Date(w.now()).toISOString(),
  })
  expect(await card(`/profile/${alice}`)).toBe('summary')
  expect(await card(`/profile/${alice}/post/${uri.split('/').at(-1)}`)).toBe('summary_large_image')
})

test('who asks not to be shown to visitors is in no page, no feed and no quote', async () => {
  const get = start()
  w.profile(bob, { displayName: 'Bob', labels: selfLabels('!no-unauthenticated') })
  const post = w.post(bob, 'for members only')
  const quoting = w.post(alice, { quote: post })
  for (const path of [
    `/profile/${bob}`,
    `/profile/${bob}/feed.atom`,
    `/profile/${bob}/post/${post.uri.split('/').at(-1)}`,
  ]) {
    const { status, text } = await get(path)
    expect([path, [403, 404].includes(status)]).toEqual([path, true])
    expect(text).not.toMatch(/Bob|for members only|og:/)
    if (path.endsWith('.atom')) continue
    expect(text).toContain('noindex')
  }
  const { text } = await get(`/profile/${alice}/post/${quoting.uri.split('/').at(-1)}`)
  expect(text).not.toMatch(/Bob|for members only/)
})

test('a facet that goes on behind the text ends with it, and one behind it is none', async () => {
  const get = start()
  const features = [{ $type: 'app.bsky.richtext.facet#tag', tag: 'walrus' }]
  const post = (byteStart: number, byteEnd: number) =>
    w.create(alice, 'app.bsky.feed.post', {
      text: 'a #walrus',
      facets: [{ index: { byteStart, byteEnd }, features }],
      createdAt: new Date(w.now()).toISOString(),
    })
  post(2, 99)
  post(12, 99)
  const { text } = await get(`/profile/${alice}`)
  expect(text.match(/>a <a href="\/hashtag\/walrus">#walrus<\/a><\/p>/g)).toHaveLength(1)
  expect(text.match(/>a #walrus<\/p>/g)).toHaveLength(1)
})

test('a picture without a description has a name all the same: it is a link', async () => {
  const get = start()
  const images = ['a cat', ''].map((alt, n) => ({ alt, image: blobOf(`picture ${n}`) }))
  const embed = { $type: 'app.bsky.embed.images', images }
  const { uri } = w.post(alice, { text: 'two pictures', embed })
  const { text } = await get(`/profile/${alice}/post/${uri.split('/').at(-1)}`)
  const alts = [...text.matchAll(/class="picture"[^>]+alt="([^"]*)"/g)].map(([, alt]) => alt)
  expect(alts).toEqual(['a cat', 'Picture without a description'])
  expect(text).toMatch(/<time [^>]+>[\d: -]{16} UTC</)
})

test('links lead to web addresses only, and what does not exist says so', async () => {
  const get = start()
  const index = { byteStart: 0, byteEnd: 5 }
  const link = (uri: string) => [
    { index, features: [{ $type: 'app.bsky.richtext.facet#link', uri }] },
  ]
  w.create(alice, 'app.bsky.feed.post', {
    text: 'click here',
    facets: link('javascript:alert(1)'),
    createdAt: new Date(w.now()).toISOString(),
  })
  expect((await get(`/profile/${alice}`)).text).not.toContain('javascript:')
  const { status, text } = await get(`/profile/${alice}/post/3kaaaaaaaaaaa`)
  expect([404, 503]).toContain(status)
  expect(text).toContain('noindex')
})

test('speaks the language that a browser prefers, and caches tell them apart', async () => {
  const get = start()
  const { uri } = w.post(alice, 'words')
  const [post, profile] = [`/profile/${alice}/post/${uri.split('/').at(-1)}`, `/profile/${alice}`]
  for (const [header, language, words] of [
    [undefined, 'en', 'Sign in to answer'],
    ['fr-FR, fr;q=0.9', 'en', 'Sign in to answer'],
    ['fr, ja;q=0.5, de;q=0.8', 'de', 'Anmelden und antworten'],
    ['de;q=0, ja', 'ja', 'ログインして返信'],
    ['*', 'en', 'Sign in to answer'],
  ] as const) {
    const headers = header === undefined ? undefined : { 'accept-language': header }
    for (const path of [post, profile]) {
      const page = await get(path, headers)
      expect(page.text).toContain(`<html lang="${language}">`)
      expect(page.text).toContain(words)
      expect(page.headers.get('vary')).toContain('accept-language')
      expect(page.headers.get('content-language')).toBe(language)
    }
  }
  const tags = await Promise.all(
    ['en', 'de'].map(async (value) => {
      const { headers } = await get(post, { 'accept-language': value })
      return headers.get('etag')
    }),
  )
  expect(tags[0]).not.toBe(tags[1])
  const none = await get('/profile/nobody.example.org', { 'accept-language': 'de' })
  expect(none.text).toMatch(/<html lang="de">/)
  expect(none.text).toContain('Anmelden')
})
