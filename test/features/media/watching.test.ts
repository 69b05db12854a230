// How long videos are watched: each viewer's playlists carry a session, a piece counts once per session
// however it is requested, and the sums exactly match a naive record of the requests, by post and day.

import { afterEach, describe, expect, test } from 'vitest'
import { videosWatched } from '../../../src/features/media/watches/videos-watched.ts'
import { createRandom, type Random } from '../../support/random.ts'
import { didOf } from '../../support/records.ts'
import { testSeed } from '../../support/seed.ts'
import { startWatchingWorld, type VideoStat, type WatchingWorld } from './support/watching-world.ts'

const STATS = 'io.slipstream.video.getStats'
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

let w: WatchingWorld

afterEach(() => w.close())

type Piece = { url: string; seconds: number; number: number }

/** Full addresses in a playlist, each with the seconds stated before it. */
async function named(url: string, visitor?: string): Promise<Piece[]> {
  const response = await fetch(
    url,
    visitor === undefined ? {} : { headers: { 'x-visitor': visitor } },
  )
  expect(response.status).toBe(200)
  const pieces: Piece[] = []
  let seconds = 0
  for (const line of (await response.text()).split('\n')) {
    seconds = Number(/^#EXTINF:([\d.]+),/.exec(line)?.[1] ?? seconds)
    if (line === '' || line.startsWith('#')) continue
    pieces.push({ url: new URL(line, url).href, seconds, number: pieces.length })
  }
  return pieces
}

/** The pieces of each quality for a new viewer. */
async function begin(rkey: string, visitor?: string): Promise<Piece[][]> {
  const variants = await named(w.master(rkey), visitor)
  return Promise.all(variants.map(({ url }) => named(url)))
}

async function ask(url: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, { redirect: 'manual', ...init })
  await response.arrayBuffer()
  return response
}

const tokenOf = (url: string) => new URL(url).searchParams.get('s') ?? ''
const sumOf = (pieces: readonly Piece[]) =>
  Math.round(pieces.reduce((sum, { seconds }) => sum + Math.round(seconds * 1000), 0) / 1000)

describe('a viewer', () => {
  test('who watches to the end counts for the length of the video, once', async () => {
    w = await startWatchingWorld()
    const { uri, rkey } = w.post()
    const [pieces] = await begin(rkey)
    for (const round of [0, 1, 2]) {
      for (const { url } of pieces!)
        expect((await ask(w.elsewhere(url, round % 2))).status).toBe(200)
      await w.tell()
    }
    const seconds = sumOf(pieces!)
    expect(seconds).toBeGreaterThan(8)
    expect(await w.stats()).toEqual([{ uri, date: '2026-11-20', seconds, sessions: 1 }])
    const { seconds: counted, sessions } = w.counts()['videoWatched']!
    expect([Math.round(counted!), sessions]).toEqual([seconds, 1])
    expect(videosWatched(w.rows.reader)).toEqual([{ date: '2026-11-20', seconds, sessions: 1 }])
  })

  test('who only loads playlists, heads or the beginning has watched nothing', async () => {
    w = await startWatchingWorld()
    const { rkey } = w.post()
    const [pieces] = await begin(rkey)
    for (const { url } of pieces!) await ask(url, { method: 'HEAD' })
    await ask(pieces![0]!.url.replace('0.m4s', 'init.mp4'))
    expect((await ask(pieces![0]!.url, { headers: { range: 'bytes=99999999-' } })).status).toBe(416)
    await w.tell()
    expect(await w.stats()).toEqual([])
  })

  test('has an anonymous session, in playlists that no proxy caches', async () => {
    w = await startWatchingWorld()
    const { rkey } = w.post()
    const [first, other] = [await begin(rkey, '203.0.113.7'), await begin(rkey, '203.0.113.7')]
    const [token, second] = [tokenOf(first[0]![0]!.url), tokenOf(other[0]![0]!.url)]
    expect(token).toMatch(/^[\w-]{42}$/)
    expect(token).not.toBe(second)
    for (const url of [w.master(rkey), first[0]![0]!.url.replace('0.m4s', 'video.m3u8')]) {
      expect((await ask(url)).headers.get('cache-control')).toMatch(/^private/)
    }
    const unnamed = await ask(w.master('3kzzzzzzzzz2z'))
    expect(unnamed.headers.get('cache-control')).toMatch(/^public/)
  })

  test('with a session that is forged, expired or of another post can play, uncounted', async () => {
    w = await startWatchingWorld()
    const [first, second] = [w.post(), w.post()]
    const [pieces] = await begin(first.rkey)
    const { url } = pieces![0]!
    const flipped = (text: string, at: number) =>
      text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1)
    const token = tokenOf(url)
    const forged = [0, 10, 19, 20, 30, 40].map((at) => url.replace(token, flipped(token, at)))
    const others = [url.replace(first.rkey, second.rkey), url.replace(token, ''), `${url}x`]
    for (const value of [...forged, ...others, url.replace(/\?.*/, '')]) {
      expect((await ask(value)).status).toBe(200)
      const lines = await named(value.replace('0.m4s', 'video.m3u8'))
      expect(tokenOf(lines[0]!.url)).toBe('')
    }
    w.advance(2 * HOUR_MS)
    expect((await ask(url)).status).toBe(200)
    await w.tell()
    expect(await w.stats()).toEqual([])
  })

  test('at one address counts twenty times a day for a post, and can play on', async () => {
    w = await startWatchingWorld()
    const [{ rkey, uri }, other] = [w.post(), w.post()]
    for (let i = 0; i < 30; i++) await ask((await begin(rkey, '203.0.113.7'))[0]![0]!.url)
    await ask((await begin(rkey, '203.0.113.8'))[0]![0]!.url)
    await ask((await begin(other.rkey, '203.0.113.7'))[0]![0]!.url)
    await w.tell()
    const sessions = async (of: string) => (await w.stats(of))[0]!.sessions
    expect([await sessions(uri), await sessions(other.uri)]).toEqual([21, 1])
  })
})

describe('limits', () => {
  test('of sessions in memory: the latest count, and none twice', async () => {
    w = await startWatchingWorld('own', { maxSessions: 2 })
    const { rkey } = w.post()
    const viewers: Piece[] = []
    for (let i = 0; i < 4; i++) {
      viewers.push((await begin(rkey))[0]![0]!)
      w.advance(1)
    }
    for (const { url } of [...viewers, ...viewers, ...viewers]) {
      await ask(url)
      await w.tell()
    }
    expect(await w.stats()).toMatchObject([{ sessions: 4, seconds: sumOf(viewers) }])
    expect(w.counts()['videosUncounted']).toMatchObject({ forgotten: 4 })
  })

  test('of posts per day: those that have a row still count', async () => {
    w = await startWatchingWorld('own', { maxRowsADay: 2 })
    const posts = [w.post(), w.post(), w.post()]
    for (const round of [1, 2]) {
      for (const { rkey } of posts) await ask((await begin(rkey))[0]![0]!.url)
      await w.tell()
      expect((await w.stats()).map(({ sessions }) => sessions)).toEqual([round, round])
    }
    expect(w.counts()['videosUncounted']).toEqual({ 'too-many-posts': 2 })
  })
})

describe('figures', () => {
  test('are the author’s alone', async () => {
    w = await startWatchingWorld()
    const { uri, rkey } = w.post()
    await ask((await begin(rkey))[0]![0]!.url)
    await w.tell()
    const other = didOf('bob')
    w.rows.member(other)
    expect(await w.rows.ask(STATS, { uri }, other)).toMatchObject({
      status: 403,
      body: { error: 'NotAuthor' },
    })
    expect(await w.rows.get(STATS, {}, other)).toEqual({ stats: [], keptDays: 90 })
    expect((await w.rows.ask(STATS, { uri })).status).toBe(401)
    expect(await w.stats(uri)).toHaveLength(1)
    expect((await w.rows.ask(STATS, { cursor: 'x' }, w.did)).status).toBe(400)
  })

  test.each([
    [90, 89, 1],
    [90, 90, 0],
    [1, 0, 1],
    [0, 0, 0],
  ])('kept for %i days, after %i there are %i', async (retentionDays, after, left) => {
    w = await startWatchingWorld('own')
    await ask((await begin(w.post().rkey))[0]![0]!.url)
    await w.tell()
    w.advance(after * DAY_MS)
    w.keepHouse(retentionDays)
    expect(await w.stats()).toHaveLength(left)
    expect(videosWatched(w.rows.reader)).toHaveLength(left)
  })

  test('do not exist if counting is disabled', async () => {
    w = await startWatchingWorld('own', { retentionDays: 0 })
    expect(await w.rows.ask(STATS, {}, w.did)).toMatchObject({
      status: 501,
      body: { error: 'MethodNotImplemented' },
    })
  })
})

type Viewer = {
  uri: string
  issuedAt: number
  variants: Piece[][]
  seen: Set<number>
  process: number
}

/** The expected sums, by post and day. */
function createModel() {
  const sums = new Map<string, { ms: number; sessions: number }>()
  return {
    requested(viewer: Viewer, piece: Piece, now: number): void {
      if (viewer.seen.has(piece.number)) return
      const key = `${viewer.uri} ${new Date(now).toISOString().slice(0, 10)}`
      const sum = sums.get(key) ?? { ms: 0, sessions: 0 }
      sum.ms += Math.round(piece.seconds * 1000)
      sum.sessions += Number(viewer.seen.size === 0)
      sums.set(key, sum)
      viewer.seen.add(piece.number)
    },
    stats(): VideoStat[] {
      return [...sums].map(([key, { ms, sessions }]) => {
        const [uri, date] = key.split(' ') as [string, string]
        return { uri, date, seconds: Math.round(ms / 1000), sessions }
      })
    },
  }
}

const newestFirst = (videoStat: VideoStat, other: VideoStat) =>
  other.date.localeCompare(videoStat.date) || other.uri.localeCompare(videoStat.uri)

/** Requests as players, reloads, seeks and programs make them. */
function howOf(random: Random): { init: RequestInit; counts: boolean } {
  const how = random.below(10)
  if (how === 0) return { init: { method: 'HEAD' }, counts: false }
  if (how === 1) return { init: { headers: { range: 'bytes=0-99' } }, counts: true }
  if (how === 2) return { init: { headers: { 'if-none-match': '*' } }, counts: true }
  return { init: {}, counts: true }
}

describe('at random', () => {
  const seed = testSeed('watching')

  test.each(['own', 'proxy', 'cdn'] as const)('through %s', async (kind) => {
    w = await startWatchingWorld(kind)
    const random = createRandom(seed)
    const model = createModel()
    const posts = [w.post(), w.post(), w.post()]
    const viewers: Viewer[] = []
    let process = 0
    for (let step = 0; step < 400; step++) {
      const act = random.below(40)
      if (act < 6 || viewers.length === 0) {
        const { uri, rkey } = random.pick(posts)
        const variants = await begin(rkey)
        viewers.push({ uri, issuedAt: w.now(), variants, seen: new Set(), process })
      } else if (act < 10) {
        await w.tell()
        if (act < 8) w.advance(random.below(6 * HOUR_MS))
        if (act !== 8) continue
        w.restart()
        process += 1
      } else {
        const viewer = random.pick(viewers)
        const piece = random.pick(random.pick(viewer.variants))
        const { init, counts } = howOf(random)
        await ask(w.elsewhere(piece.url, random.below(2)), init)
        const isOver = w.now() - viewer.issuedAt >= 2 * HOUR_MS || viewer.process !== process
        if (counts && !isOver) model.requested(viewer, piece, w.now())
      }
    }
    await w.tell()
    const stats = await w.stats()
    expect(stats).toEqual(model.stats().sort(newestFirst))
    expect(stats.length).toBeGreaterThan(3)
    for (const { uri } of posts) {
      expect(await w.stats(uri)).toEqual(stats.filter((stat) => stat.uri === uri))
    }
  })
})
