// A viewer with a player (hls.js in Chromium): a video from each source plays, seeks, switches quality and
// shows captions in the selected language at their time, and does so again when the upstream servers are
// gone.

import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { VideosFrom } from '../../../src/features/media/media-app.ts'
import type { PinRules, PinStore } from '../../../src/features/media/pins/pin-store.ts'
import { createMediaProcess } from '../../../src/features/media/process/media-process.ts'
import { createGuardedFetch } from '../../../src/sources/identity/guarded-fetch.ts'
import { blobCid } from '../../support/blob-host.ts'
import { chromiumPath, launchBrowser } from '../../support/browser.ts'
import { bytesOf, namedBy } from '../../support/playlists.ts'
import { type MediaWorld, NO_LIMIT_MS, startMediaWorld } from './support/media-world.ts'
import { startVideoService, type VideoServiceDouble } from './support/video-service-double.ts'
import { startWatchingWorld } from './support/watching-world.ts'

const fixtures = join(import.meta.dirname, '../../fixtures/video')
const HLS_JS = join(import.meta.dirname, '../../../node_modules/hls.js/dist/hls.js')
const vtt = (text: string) =>
  Buffer.from(`WEBVTT\n\nSTYLE\n::cue{color:red}\n\n1\n00:00.500 --> 00:02.500\n${text}\n`)
const ENGLISH = vtt('Hello <b>there</b>')
const GERMAN = vtt('Guten <c.x>Tag</c> & so')

const quiet = { debug: () => undefined, error: () => undefined }

type Cue = { startTime: number; endTime: number; text: string }

let browser: Browser
let service: VideoServiceDouble
let world: MediaWorld

/** Only for hangs: on a busy machine a player takes minutes instead of seconds. */
const TIMEOUT_MS = 1_800_000

describe.runIf(chromiumPath())('in a browser', { timeout: TIMEOUT_MS }, () => {
  beforeAll(async () => {
    browser = await launchBrowser()
    service = await startVideoService()
    world = await startMediaWorld({ posts: { captionsOf, shows: () => false } })
    for (const file of [ENGLISH, GERMAN]) world.host.put(file)
  })
  // Even after a failure.
  afterEach(async () => {
    world.host.behave(undefined)
    service.fail(undefined)
    for (const context of browser.contexts()) await context.close()
  })
  afterAll(async () => {
    await browser.close()
    await world.close()
    await service.close()
  })

  test.each(['own', 'proxy', 'cdn'] as const)('%s', async (kind) => {
    const of = await startMediaWorld({
      before: world,
      videos: videosFrom(kind),
      posts: { captionsOf, shows: () => false },
    })
    const cid = world.host.put(readFileSync(join(fixtures, 'pictures-and-sound.mp4')))
    const address = `${of.url}/video/${of.did}/${cid}/playlist.m3u8?post=3k`
    const isOwn = kind === 'own'
    await watch(address, { levels: isOwn ? 1 : 2, seconds: isOwn ? 9.5 : 6 })
    if (kind !== 'cdn') {
      world.host.behave({ fail: 500 })
      service.fail(500)
      await watch(address, { levels: isOwn ? 1 : 2, seconds: isOwn ? 9.5 : 6 })
    }
    await of.close()
  })

  test.each([
    ...(['own', 'proxy', 'cdn'] as const).map((kind) => [kind, 'pictures-and-sound.mp4'] as const),
    ['own', 'silent.mp4'] as const,
  ])('%s, %s: continues into the trailer', async (kind, file) => {
    const of = await startMediaWorld({
      before: world,
      videos: videosFrom(kind),
      posts: { captionsOf, shows: () => false },
      trailer: join(fixtures, 'trailer.mp4'),
    })
    const cid = world.host.put(readFileSync(join(fixtures, file)))
    const seconds = kind !== 'own' ? 6 : file === 'silent.mp4' ? 5 : 9.5
    const page = await openPage()
    const run = (call: string) => page.evaluate(call)
    await run(`load('${of.url}/video/${of.did}/${cid}/playlist.m3u8?post=3k')`)
    checkCues((await run('switchCaptions(0)')) as Cue[], 'Hello <b>there</b>')
    const end = (await run(`playToEnd(${seconds - 0.5})`)) as { before: number; at: number }
    expect(end).toMatchObject({ after: 160, errors: [] })
    expect(end.before).toBeLessThan(160)
    expect(Math.abs(end.at - seconds - 5)).toBeLessThan(0.3)
    await page.close()
    await of.close()
  })

  test('own, in a lower quality as well, before and after the PDS is gone', async () => {
    const encoder = createMediaProcess({ log: quiet, limits: { jobMs: NO_LIMIT_MS } })
    const lower = { shortSides: [36], encoder }
    const of = await startMediaWorld({ before: world, videos: { kind: 'own', lower } })
    const cid = world.host.put(readFileSync(join(fixtures, 'pictures-and-sound.mp4')))
    const address = `${of.url}/video/${of.did}/${cid}/playlist.m3u8`
    await expect.poll(() => namedBy(address)).toHaveLength(2)
    await seeBoth(address, [1.25, 5.55])
    world.host.behave({ fail: 500 })
    await seeBoth(address, [8.15])
    encoder.close()
    await of.close()
  })

  test('from pinned files alone', async () => {
    const cid = world.host.put(readFileSync(join(fixtures, 'pictures-and-sound.mp4')))
    const blobs = [ENGLISH, GERMAN].map((bytes) => ({
      cid: blobCid(bytes),
      kind: 'captions' as const,
    }))
    const { of, keeper: pinStore } = await worldWithPins([{ cid, kind: 'video' }, ...blobs])
    expect(await pinStore.round()).toMatchObject({ files: 4, missing: 0 })
    rmSync(join(of.dataDir, 'media-cache'), { recursive: true })
    world.host.behave({ fail: 500 })
    const requested = world.host.requests()
    await watch(`${of.url}/video/${of.did}/${cid}/playlist.m3u8?post=3k`, {
      levels: 1,
      seconds: 9.5,
    })
    expect(world.host.requests()).toBe(requested)
    pinStore.close()
    await of.close()
  })

  test.each(['own', 'cdn'] as const)(
    '%s: its own count is the one reported to the author',
    async (kind) => {
      const w = await startWatchingWorld(kind)
      const { uri, rkey } = w.post()
      const page = await openPage()
      const run = (call: string) => page.evaluate(call)
      await run(`load(${JSON.stringify(w.master(rkey))})`)
      await run('playAndSeek(4)')
      if (kind === 'cdn') for (const level of [1, 0]) await run(`switchLevel(${level})`)
      await run('playAndSeek(1)')
      const loaded = (await run('allLoaded()')) as number[]
      await w.tell()
      const lengths = await lengthsOf(w.master(rkey))
      const ms = loaded.reduce((sum, number) => sum + Math.round(lengths[number]! * 1000), 0)
      const seconds = Math.round(ms / 1000)
      expect(seconds).toBeGreaterThan(4)
      expect(await w.stats()).toEqual([{ uri, date: '2026-11-20', seconds, sessions: 1 }])
      await page.close()
      await w.close()
    },
  )
})

async function worldWithPins(visible: ReturnType<PinRules['presentedBy']>) {
  let pinStore: PinStore | undefined
  const of = await startMediaWorld({
    before: world,
    posts: { captionsOf, shows: () => false },
    pins: {
      rules: {
        accounts: () => [{ did: world.did, state: 'here' }],
        presentedBy: () => visible,
        maxBytes: 50_000_000,
      },
      everyMs: 0,
      onPinStore: (pinKeeper) => {
        pinStore = pinKeeper
      },
    },
  })
  return { of, keeper: pinStore! }
}

/** The same picture in both qualities at each of these seconds, but not one before or after it. */
async function seeBoth(address: string, seconds: readonly number[]): Promise<void> {
  const page = await openPage()
  const run = (call: string) => page.evaluate(call)
  const { levels } = (await run(`load(${JSON.stringify(address)})`)) as {
    levels: { width: number }[]
  }
  expect(levels.map(({ width }) => width).sort()).toEqual([64, 96])
  expect(await run('playAndSeek(4)')).toMatchObject({ at: 4, error: null, errors: [] })
  const picture = (level: number, at: number) =>
    run(`pictureAt(${level}, ${at})`) as Promise<number[]>
  for (const at of seconds) {
    const [before, same, after] = [
      await picture(0, at - 0.3),
      await picture(0, at),
      await picture(0, at + 0.3),
    ]
    const other = await picture(1, at)
    expect(differenceOf(same, other)).toBeLessThan(differenceOf(before, other))
    expect(differenceOf(same, other)).toBeLessThan(differenceOf(after, other))
  }
  expect(await run('errors')).toEqual([])
  await page.close()
}

function differenceOf(number: readonly number[], other: readonly number[]): number {
  return number.reduce((sum, value, i) => sum + Math.abs(value - other[i]!), 0) / number.length
}

/** Lengths of the pieces in seconds; the same in all qualities. */
async function lengthsOf(master: string): Promise<number[]> {
  const [variant] = await namedBy(master)
  const text = (await bytesOf(variant!)).toString()
  return [...text.matchAll(/#EXTINF:([\d.]+),/g)].map(([, seconds]) => Number(seconds))
}

function captionsOf() {
  return [
    { language: 'en', cid: blobCid(ENGLISH) },
    { language: 'de', cid: blobCid(GERMAN) },
  ]
}

function videosFrom(kind: VideosFrom['kind']): VideosFrom {
  if (kind === 'own') return { kind }
  const trustedOrigins = [new URL(service.base).origin]
  const fetch = createGuardedFetch({ allowPrivateHosts: false, trustedOrigins })
  return { kind, base: service.base, fetch }
}

async function watch(address: string, { levels, seconds }: { levels: number; seconds: number }) {
  const page = await openPage()
  const run = (call: string) => page.evaluate(call)
  expect(await run(`load(${JSON.stringify(address)})`)).toMatchObject({
    captions: [
      ['en', 'English'],
      ['de', 'Deutsch'],
    ],
  })
  const played = (await run('playAndSeek(4)')) as { at: number; duration: number }
  expect(played).toMatchObject({ at: 4, error: null, errors: [] })
  expect(Math.abs(played.duration - seconds)).toBeLessThan(0.3)
  for (const level of Array.from({ length: levels }, (_, i) => levels - 1 - i)) {
    if (levels === 1) break
    expect(await run(`switchLevel(${level})`)).toEqual({
      width: level === 0 ? 64 : 128,
      errors: [],
    })
  }
  checkCues((await run('switchCaptions(1)')) as Cue[], 'Guten Tag &amp; so')
  checkCues((await run('switchCaptions(0)')) as Cue[], 'Hello <b>there</b>')
  await page.close()
}

function checkCues(cues: Cue[], text: string): void {
  expect(cues.map((cue) => cue.text)).toEqual([text])
  expect(Math.abs(cues[0]!.startTime - 0.5)).toBeLessThan(0.15)
  expect(Math.abs(cues[0]!.endTime - 2.5)).toBeLessThan(0.15)
}

async function openPage(): Promise<Page> {
  const page = await browser.newPage()
  page.setDefaultTimeout(0)
  await page.setContent('<video muted></video>')
  await page.addScriptTag({ path: HLS_JS })
  await page.addScriptTag({ path: join(fixtures, 'play-hls.js') })
  return page
}
