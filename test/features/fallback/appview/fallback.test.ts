// A public AppView that lies, fails, is slow or never ends: which requests are sent to it, which answers are
// accepted, and that no client waits long or asks too often. The clock is simulated; nothing here measures
// time.

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { MINUTE_MS } from '../../../../src/base/util/durations.ts'
import type { Fallback } from '../../../../src/features/fallback/appview/fallback.ts'
import {
  type AppviewDouble,
  type Misbehaviour,
  startAppviewDouble,
} from '../../../support/appview-double.ts'
import { cidOf, didOf } from '../../../support/records.ts'
import { fallbackTo, OWN_URLS } from '../asking.ts'

const [eve, mallory] = ['eve', 'mallory'].map(didOf) as [string, string]
const PROFILE = 'app.bsky.actor.getProfile'
const FEED = 'app.bsky.feed.getAuthorFeed'

let double: AppviewDouble
let clock: number
let fallback: Fallback

beforeEach(async () => {
  double = await startAppviewDouble()
  clock = 0
  fallback = fallbackTo(double, { now: () => clock })
})
afterEach(() => double.close())

const profile = (did: string) => ({ did, handle: 'eve.test', followersCount: 3 })
const ask = (nsid: string, params: Record<string, unknown>, labelers: string[] = []) =>
  fallback.ask({ nsid, params, labelers, acceptLabelers: labelers.join(',') })
const askProfile = (actor = eve) => ask(PROFILE, { actor })
const askProfileNow = () => askProfile()

function post(did: string, more: object = {}, record: object = {}) {
  return {
    uri: `at://${did}/app.bsky.feed.post/3kaaaaaaaaaaa`,
    cid: cidOf(did),
    author: { did, handle: 'eve.test' },
    record: {
      $type: 'app.bsky.feed.post',
      text: 'hi',
      createdAt: '2026-01-01T00:00:00.000Z',
      ...record,
    },
    indexedAt: '2026-01-01T00:00:00.000Z',
    ...more,
  }
}

describe('a request', () => {
  test('names the labelers that count, but nothing about the viewer', async () => {
    double.answer(PROFILE, profile(eve))
    await ask(PROFILE, { actor: eve }, [mallory])
    const [{ headers, query }] = double.asked as [(typeof double.asked)[number]]
    expect(query).toEqual({ actor: eve })
    expect(headers['atproto-accept-labelers']).toBe(mallory)
    expect(Object.keys(headers).sort()).toEqual(
      [
        'accept',
        'accept-encoding',
        'atproto-accept-labelers',
        'connection',
        'host',
        'user-agent',
      ].sort(),
    )
  })

  test('has its answer read as parts of the calls that wait for it, also one that is kept', async () => {
    double.answer(PROFILE, profile(eve))
    let parts = 0
    let charges = 0
    const addElsewhere = () => {
      charges += 1
    }
    const part = <T>(work: () => T) => {
      parts += 1
      return work()
    }
    const question = {
      nsid: PROFILE,
      params: { actor: eve },
      labelers: [],
      time: { part, addElsewhere },
    }
    const answers = await Promise.all(Array.from({ length: 3 }, () => fallback.ask(question)))
    // It is checked once, and each caller gets its own.
    expect(parts).toBe(1 + 3)
    expect(await fallback.ask(question)).toEqual(answers[0])
    expect(parts).toBe(1 + 3 + 1)
    // The one request.
    expect(charges).toBe(1)
  })

  test('is sent once for all callers that ask the same, and again after a while', async () => {
    double.answer(PROFILE, profile(eve))
    await Promise.all(Array.from({ length: 20 }, () => askProfile()))
    const answer = await askProfile()
    expect(double.asked).toHaveLength(1)
    // One caller's changes to the answer do not affect the others.
    answer!['did'] = mallory
    expect(await askProfile()).toMatchObject({ did: eve })
    clock += 10 * MINUTE_MS
    await askProfile()
    expect(double.asked).toHaveLength(2)
  })

  test('is one of only a few in flight', async () => {
    let now = 0
    let most = 0
    double.answer(PROFILE, async ({ actor }: Record<string, unknown>) => {
      most = Math.max(most, ++now)
      await new Promise((resolve) => setTimeout(resolve, 5))
      now--
      return profile(String(actor))
    })
    const dids = Array.from({ length: 100 }, (_, i) => didOf(`one of ${i}`))
    const answers = await Promise.all(dids.map((did) => askProfile(did)))
    expect(most).toBeLessThanOrEqual(12)
    expect(answers.filter(Boolean).length).toBeGreaterThanOrEqual(40)
    expect(answers.filter(Boolean).length).toBeLessThan(100)
  })
})

describe('failures are not answers', () => {
  const bad: [string, Misbehaviour][] = [
    ['an error', { status: 500 }],
    ['not found', { status: 404 }],
    ['invalid JSON', { text: 'hello' }],
    ['an array', { text: '[]' }],
    ['a prototype', { text: `{"did":"${eve}","handle":"a.test","__proto__":{"x":1}}` }],
    ['a null', { text: `{"did":"${eve}","handle":"a.test","avatar":null}` }],
    [
      'deeply nested JSON',
      { text: `{"did":"${eve}","handle":"a.test","x":${'['.repeat(5000)}${']'.repeat(5000)}}` },
    ],
    [
      'half of a surrogate pair',
      { text: `{"did":"${eve}","handle":"a.test","displayName":"\\ud83d"}` },
    ],
    ['an endless answer', 'endless'],
    ['a dropped connection', 'hang-up'],
    [
      'a redirect into our network',
      { redirect: 'http://127.0.0.1:1/xrpc/app.bsky.actor.getProfile' },
    ],
    ['a redirect to another host', { redirect: 'https://example.com/' }],
    [
      'a script in place of a picture',
      { text: `{"did":"${eve}","handle":"a.test","avatar":"javascript:alert(1)"}` },
    ],
  ]
  test.each(bad)('%s', async (_, how) => {
    double.misbehave(how)
    expect(await askProfile()).toBeUndefined()
  })

  test('a redirect within the same host is not followed either', async () => {
    double.answer(PROFILE, profile(eve))
    double.misbehave({ redirect: `${double.origin}/xrpc/${PROFILE}?actor=${eve}` })
    expect(await askProfile()).toBeUndefined()
    expect(double.asked).toHaveLength(1)
  })

  test('a caller waits no longer than its patience allows, and the next gets the late answer', async () => {
    double.answer(PROFILE, profile(eve))
    double.lag(300)
    const impatient = fallback.ask({
      nsid: PROFILE,
      params: { actor: eve },
      labelers: [],
      waitShare: 0.0005,
    })
    expect(await impatient).toBeUndefined()
    await expect.poll(askProfileNow).toMatchObject({ did: eve })
    expect(double.asked).toHaveLength(1)
  })

  test('backs off from a host that keeps failing, longer each time, until it answers', async () => {
    double.misbehave({ status: 503 })
    const dids = Array.from({ length: 40 }, (_, i) => didOf(`somebody ${i}`))
    for (const did of dids.slice(0, 20)) await askProfile(did)
    expect(double.asked).toHaveLength(5)
    clock += 16_000
    for (const did of dids.slice(0, 20)) await askProfile(did)
    expect(double.asked).toHaveLength(6)
    clock += 16_000
    await askProfile()
    expect(double.asked).toHaveLength(6)
    clock += 30_000
    double.misbehave(undefined)
    double.answer(PROFILE, ({ actor }: Record<string, unknown>) => profile(String(actor)))
    for (const did of dids) expect(await askProfile(did)).toMatchObject({ did })
  })

  test('honours Retry-After', async () => {
    double.misbehave({ status: 429, headers: { 'retry-after': '120' } })
    await askProfile()
    clock += 100_000
    await askProfile()
    expect(double.asked).toHaveLength(1)
    clock += 30_000
    await askProfile()
    expect(double.asked).toHaveLength(2)
  })

  test('a restricted method is not requested again for a while, but the others are', async () => {
    double.answer(FEED, { status: 403 })
    double.answer(PROFILE, profile(eve))
    for (let i = 0; i < 5; i++) await ask(FEED, { actor: didOf(`x ${i}`) })
    expect(double.asked).toHaveLength(1)
    expect(await askProfile()).toMatchObject({ did: eve })
  })
})

describe('an accepted answer', () => {
  const items = (...feed: unknown[]) => {
    double.answer(FEED, { feed, cursor: 'next' })
    return ask(FEED, { actor: eve }) as Promise<{
      feed: { post: Record<string, unknown> }[]
      cursor: string
    }>
  }

  test('is checked item by item', async () => {
    const good = { post: post(eve) }
    const answer = await items(
      good,
      { post: post(eve, { uri: `at://${mallory}/app.bsky.feed.post/3kaaaaaaaaaaa` }) },
      { post: post(eve, { cid: 'nonsense' }) },
      { post: post(eve, { likeCount: 1.5 }) },
      { post: post(eve, { indexedAt: null }) },
      { post: post(eve, {}, { text: 7 }) },
      { post: post(eve, {}, { $type: 'app.bsky.feed.like' }) },
      {
        post: post(
          eve,
          {},
          {
            embed: {
              $type: 'app.bsky.embed.images',
              images: [{ alt: '', image: { $type: 'blob', ref: { $link: 'x' } } }],
            },
          },
        ),
      },
      {
        post: post(eve, {
          embed: {
            $type: 'app.bsky.embed.external#view',
            external: {
              uri: 'https://a.test',
              title: '',
              description: '',
              thumb: 'data:image/png;base64,AA',
            },
          },
        }),
      },
      { post: post(eve), reply: { parent: { uri: 'x' } } },
      'text',
      null,
      [good],
      {},
      good,
    )
    expect(answer.feed).toEqual([good, good])
    expect(answer.cursor).toBe('next')
  })

  test('contains nothing about viewers at any depth', async () => {
    const quoted = {
      $type: 'app.bsky.embed.record#viewRecord',
      ...post(mallory, { value: post(mallory).record, viewer: { like: 'x' } }),
    }
    const { record: _, ...embedded } = quoted
    const author = { did: eve, handle: 'eve.test', viewer: { muted: true } }
    const answer = await items({
      post: post(eve, {
        author,
        viewer: { like: `at://${eve}/app.bsky.feed.like/3kaaaaaaaaaaa` },
        embed: { $type: 'app.bsky.embed.record#view', record: embedded },
      }),
    })
    expect(answer.feed).toHaveLength(1)
    expect(JSON.stringify(answer)).not.toContain('"viewer"')
  })

  test('keeps a viewer property in a record, since records belong to their authors', async () => {
    const answer = await items({
      post: post(
        eve,
        {},
        {
          viewer: 'me',
          labels: { $type: 'com.atproto.label.defs#selfLabels', values: [{ val: 'x' }] },
        },
      ),
    })
    expect(answer.feed[0]?.post['record']).toMatchObject({
      viewer: 'me',
      labels: { values: [{ val: 'x' }] },
    })
  })

  test('pictures and videos get our URLs if theirs have the known form', async () => {
    const cid = cidOf('video')
    const embed = {
      $type: 'app.bsky.embed.video#view',
      cid,
      playlist: `https://video.bsky.app/watch/${encodeURIComponent(eve)}/${cid}/playlist.m3u8`,
      thumbnail: `https://video.bsky.app/watch/${encodeURIComponent(eve)}/${cid}/thumbnail.jpg`,
    }
    const { feed } = await items({ post: post(eve, { embed }) })
    expect(feed[0]?.post['embed']).toMatchObject({
      playlist: OWN_URLS.videoPlaylist(eve, cid),
      thumbnail: OWN_URLS.videoThumbnail(eve, cid),
    })
  })

  test('an answer that is too long is truncated', async () => {
    double.answer(FEED, { feed: Array.from({ length: 3_000 }, () => ({ post: post(eve) })) })
    const answer = (await ask(FEED, { actor: eve })) as { feed: unknown[] }
    expect(answer.feed).toHaveLength(1_000)
  })
})
