// A video at the client, in a real browser: it plays where it is, with captions, and its author then sees how
// often it was watched and where viewers stop.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Reader } from '../../e2e/support/reader.ts'
import { blobCid } from '../../support/blob-host.ts'
import { chromiumPath } from '../../support/browser.ts'
import { type ClientWorld, startClientWorld } from '../../support/client-world.ts'
import { eventually } from '../../support/eventually.ts'

const path = chromiumPath()
if (!path) console.warn('no Chromium here: videos are NOT tested (apt-get install chromium)')

const RKEY = '3kvideovideo2'
const VIDEO = readFileSync(join(import.meta.dirname, '../../fixtures/video/pictures-and-sound.mp4'))
const captions = (text: string) => Buffer.from(`WEBVTT\n\n00:00.000 --> 00:09.000\n${text}\n`)
const ENGLISH = captions('Hello there <img src=x onerror=document.title=1>')
const GERMAN = captions('Guten Tag')

const blobOf = (bytes: Buffer, mimeType: string) => ({
  $type: 'blob',
  ref: { $link: blobCid(bytes) },
  mimeType,
  size: bytes.length,
})

describe.skipIf(!path)('a video', () => {
  let world: ClientWorld
  let reader: Reader

  beforeAll(async () => {
    world = await startClientWorld({
      settings: { VIDEOS: 'own', MEMBERS: 'open' },
      blobs: new Map([VIDEO, ENGLISH, GERMAN].map((bytes) => [blobCid(bytes), bytes])),
      prepare: (_, member) =>
        void member.put({
          collection: 'app.bsky.feed.post',
          rkey: RKEY,
          atMs: Date.now(),
          value: {
            text: 'a video of mine',
            createdAt: new Date().toISOString(),
            embed: {
              $type: 'app.bsky.embed.video',
              video: blobOf(VIDEO, 'video/mp4'),
              alt: 'A test picture, counting',
              aspectRatio: { width: 96, height: 54 },
              captions: [
                { lang: 'de', file: blobOf(GERMAN, 'text/vtt') },
                { lang: 'en', file: blobOf(ENGLISH, 'text/vtt') },
              ],
            },
          },
        }),
    })
    reader = await world.open({ viewport: { width: 390, height: 800 }, locale: 'en-GB' })
  })
  afterAll(() => world?.close())

  const thread = () => `${world.origin}/read/profile/${world.member.did}/post/${RKEY}`

  test('plays where it is, with captions in the reader’s language', async () => {
    const { page } = reader
    const loaded: string[] = []
    page.on('request', (request) => loaded.push(new URL(request.url()).pathname))
    await world.signIn(reader)
    await eventually(async () => {
      await page.goto(thread())
      await page.locator('video').waitFor({ timeout: 20_000 })
    })
    const isHls = (value: string) => value.endsWith('/hls.js')
    expect(loaded.filter(isHls)).toEqual([])
    await page.getByRole('button', { name: 'Video' }).click()
    const at = () => page.evaluate(`document.querySelector('video').currentTime`)
    await eventually(async () => expect(await at()).toBeGreaterThan(1))
    expect(loaded.filter(isHls)).toHaveLength(1)
    const visible = `[...document.querySelector('video').textTracks]
      .filter(({ mode }) => mode === 'showing')
      .map(({ language, activeCues }) => [language, activeCues?.[0]?.text])`
    await eventually(async () =>
      expect(await page.evaluate(visible)).toEqual([
        ['en', expect.stringContaining('Hello there')],
      ]),
    )
    expect(await page.title()).toMatch(/^User \d+ · Slipstream$/)
    expect(reader.troubles).toEqual([])
  })

  test('its author sees how often it was watched, and where viewers stop', async () => {
    const { page } = reader
    await eventually(async () => {
      await page.goto(thread())
      await page.locator('[data-playlist]', { hasText: 'Views: 1.' }).waitFor({ timeout: 20_000 })
    })
    expect(await page.locator('[data-playlist]').innerText()).toMatch(/viewers stop after \d+ s/)
  })

  test('nobody else does', async () => {
    const other = await world.open()
    const [stranger] = world.simulation.network.repositories
    await world.signIn(other, stranger)
    await other.page.goto(thread())
    await other.page.locator('video').waitFor()
    await other.page.locator('#main[aria-busy=false]').waitFor()
    expect(await other.page.locator('[data-playlist]').count()).toBe(0)
  })
})
