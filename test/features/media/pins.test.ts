// Videos of pinned accounts: fetched before any request, kept beyond the PDS and the cache, dropped with
// their posts and accounts, and subject to a separate limit.

import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadConfig } from '../../../src/base/config/config.ts'
import {
  blobSubject,
  parseTakedownSubject,
  putTakedown,
} from '../../../src/data/store/moderation/takedowns.ts'
import { makeEntry, sealHead } from '../../../src/features/media/cache/cache-entry.ts'
import { createVideoPosts } from '../../../src/features/media/hls/video-posts.ts'
import { mediaConfig } from '../../../src/features/media/media-config.ts'
import { NO_THUMBNAIL } from '../../../src/features/media/no-thumbnail.ts'
import { pinRules } from '../../../src/features/media/pins/pin-rules.ts'
import type { PinStore } from '../../../src/features/media/pins/pin-store.ts'
import { readPinStatus } from '../../../src/features/media/pins/pinned-files.ts'
import { bytesOf, firstVariant, namedBy } from '../../support/playlists.ts'
import { createServingWorld, type ServingWorld } from '../../support/serving-world.ts'
import { type MediaWorld, startMediaWorld } from './support/media-world.ts'

const video = (name: string) =>
  readFileSync(join(import.meta.dirname, `../../fixtures/video/${name}.mp4`))
const CAPTIONS = Buffer.from('WEBVTT\n\n00:00.500 --> 00:02.500\nHello\n')
const MB = 1 << 20

let first: MediaWorld
let of: MediaWorld
let rows: ServingWorld
let pinStore: PinStore
let dataDir: string

beforeEach(async () => {
  rows = createServingWorld()
  first = await startMediaWorld()
  rows.member(first.did)
  dataDir = mkdtempSync(join(tmpdir(), 'slipstream-pins-'))
  await open()
})
afterEach(async () => {
  pinStore.close()
  await of.close()
  await first.close()
  rows.dispose()
})

async function open({ pin = 'members', maxBytes = 50 * MB } = {}): Promise<void> {
  const settings = { SLIPSTREAM_VIDEOS: 'own', SLIPSTREAM_MEDIA_PIN: pin }
  const { actors } = rows.memory
  const rules = pinRules(mediaConfig(loadConfig(settings, '/nowhere')), {
    db: rows.reader,
    actors,
  })!
  of = await startMediaWorld({
    before: first,
    dataDir,
    posts: createVideoPosts({ db: rows.reader, actors }),
    pins: {
      rules: { ...rules, maxBytes },
      everyMs: 0,
      onPinStore: (pinKeeper) => {
        pinStore = pinKeeper
      },
    },
  })
}

/** A post that shows the video with captions. */
function post(name: string, did = first.did) {
  const blob = (cid: string, mimeType = 'video/mp4') => ({
    $type: 'blob',
    mimeType,
    size: 10,
    ref: { $link: cid },
  })
  const cid = first.host.put(video(name))
  const captions = [{ lang: 'en', file: blob(first.host.put(CAPTIONS), 'text/vtt') }]
  const embed = { $type: 'app.bsky.embed.video', video: blob(cid), captions }
  const { uri } = rows.post(did, { embed })
  return { cid, uri, rkey: uri.split('/').at(-1)! }
}

type Post = ReturnType<typeof post>

function hide(subject: string): void {
  const found = parseTakedownSubject(subject)!
  const row = { ...found, uid: rows.uid(first.did), ref: 'case 7', because: null, at: 1 }
  rows.run((ctx) => void putTakedown(ctx.db, row))
}

const folderOf = (cid: string) => `${of.url}/video/${of.did}/${cid}`
const pinnedFiles = () =>
  readdirSync(join(dataDir, 'media-pinned'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.includes('/'))
    .map((name) => name.split('.').at(-1)!)
    .sort()

/** As if a Slipstream before had made them. */
function makeCaptionsOlder(text: string): void {
  const root = join(dataDir, 'media-pinned')
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' })
  const made = join(root, names.find((name) => name.endsWith('.captions2'))!)
  const { contentType, digest, body } = makeEntry('text/vtt', Buffer.from(text))
  const head = sealHead({ contentType, digest, length: body.length })
  writeFileSync(made.replace(/2$/, ''), Buffer.concat([head, body]))
  rmSync(made)
  rmSync(join(dataDir, 'media-cache'), { recursive: true })
}

/** Fetches everything that a player and a page do. */
async function playAll(cid: string, rkey: string): Promise<void> {
  const master = `${folderOf(cid)}/playlist.m3u8?post=${rkey}`
  expect((await firstVariant(master)).segments.length).toBeGreaterThan(0)
  expect((await bytesOf(`${folderOf(cid)}/captions/en.vtt?post=${rkey}`)).toString()).toMatch(
    /Hello/,
  )
  expect(await namedBy(`${folderOf(cid)}/captions/en.m3u8?post=${rkey}`)).toHaveLength(1)
  expect(await bytesOf(`${folderOf(cid)}/thumbnail.jpg`)).not.toEqual(NO_THUMBNAIL.body)
}

describe('a video of a member', () => {
  test('is available without its PDS and all of the cache, though never requested before', async () => {
    const { cid, rkey } = post('pictures-and-sound')
    const { cid: silent, rkey: second } = post('silent')
    const status = await pinStore.round()
    expect(status).toMatchObject({ files: 5, missing: 0, isFull: false })
    expect(await readPinStatus(dataDir)).toEqual(status)
    const before = first.host.requests()
    first.host.behave({ fail: 500 })
    rmSync(join(dataDir, 'media-cache'), { recursive: true })
    await playAll(cid, rkey)
    await playAll(silent, second)
    expect(await pinStore.round()).toEqual(status)
    expect(first.host.requests()).toBe(before)
  })

  test('is requested again if its PDS was unreachable', async () => {
    const { cid, rkey } = post('silent')
    first.host.behave({ fail: 500 })
    expect(await pinStore.round()).toMatchObject({ files: 0, missing: 2 })
    first.host.behave(undefined)
    of.advance(60_000)
    expect(await pinStore.round()).toMatchObject({ files: 3, missing: 0 })
    await playAll(cid, rkey)
  })

  test('has captions of an earlier version until they are made anew', async () => {
    const { cid, rkey } = post('silent')
    await pinStore.round()
    makeCaptionsOlder('WEBVTT\n\n00:00.000 --> 00:01.000\nread otherwise\n')
    first.host.behave({ fail: 500 })
    await pinStore.round()
    expect(pinnedFiles()).toEqual(['captions', 'cut', 'preview'])
    const read = async () =>
      (await bytesOf(`${folderOf(cid)}/captions/en.vtt?post=${rkey}`)).toString()
    expect(await read()).toMatch(/read otherwise/)
    first.host.behave(undefined)
    of.advance(60_000)
    await pinStore.round()
    expect(await pinStore.round()).toMatchObject({ files: 3, missing: 0 })
    expect(pinnedFiles()).toEqual(['captions2', 'cut', 'preview'])
    expect(await read()).toMatch(/Hello/)
  })

  test('is dropped with its post, unless another post shows it', async () => {
    const record = post('silent')
    post('trailer')
    await pinStore.round()
    expect(pinnedFiles()).toEqual(['captions2', 'cut', 'cut', 'preview', 'preview'])
    rows.delete(record.uri)
    expect(await pinStore.round()).toMatchObject({ files: 3 })
    expect(pinnedFiles()).toEqual(['captions2', 'cut', 'preview'])
  })

  test.each([
    ['the operator hides', (record: Post) => hide(record.uri)],
    ['the operator hides the blob of', (record: Post) => hide(blobSubject(first.did, record.cid))],
  ])('is dropped when %s its post', async (_, change) => {
    const record = post('silent')
    await pinStore.round()
    change(record)
    await pinStore.round()
    expect(pinnedFiles()).not.toContain('cut')
  })

  test.each([
    ['deleted', []],
    ['takendown', []],
    ['deactivated', ['captions2', 'cut', 'preview']],
  ] as const)('of an account that is %s leaves %j', async (status, left) => {
    const { cid } = post('silent')
    await pinStore.round()
    rows.status(first.did, status)
    of.setHidden(true)
    await pinStore.round()
    expect(pinnedFiles()).toEqual(left)
    expect((await fetch(`${folderOf(cid)}/0/video.m3u8`)).status).toBe(404)
  })

  test('is not pinned beyond the limit, and pinned ones stay', async () => {
    const [stored, second] = [post('silent'), post('pictures-and-sound')]
    await of.close()
    await open({ maxBytes: 12_000 })
    const status = await pinStore.round()
    expect(status).toMatchObject({ isFull: true })
    expect(status.missing).toBeGreaterThan(0)
    expect(status.bytes).toBeLessThanOrEqual(12_000)
    expect((await pinStore.round()).bytes).toBe(status.bytes)
    for (const { cid, rkey } of [stored, second]) await playAll(cid, rkey)
  })
})

test('no other accounts’ are pinned, except of those named', async () => {
  const other = await of.know(first.host.url)
  rows.follow(first.did, other)
  post('silent', other)
  expect(await pinStore.round()).toMatchObject({ files: 0, missing: 0 })
  await of.close()
  await open({ pin: other })
  expect(await pinStore.round()).toMatchObject({ files: 3, missing: 0 })
})

test('a torn pinned file is made again', async () => {
  const { cid, rkey } = post('silent')
  await pinStore.round()
  const folder = join(dataDir, 'media-pinned', encodeURIComponent(first.did))
  for (const name of readdirSync(folder)) truncateSync(join(folder, name), 300)
  await playAll(cid, rkey)
})
