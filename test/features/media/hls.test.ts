// Videos cut into pieces for a player: every packet that ffprobe finds in the original, at its time, played
// by a browser; and other files are only refused.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath, launchBrowser } from '../../support/browser.ts'
import { type Packet, packetsOf } from '../../support/cached-view-packets.ts'
import { bytesOf, firstVariant } from '../../support/playlists.ts'
import { createRandom } from '../../support/random.ts'
import { testSeed } from '../../support/seed.ts'
import { type MediaWorld, startMediaWorld } from './support/media-world.ts'

const fixtures = join(import.meta.dirname, '../../fixtures/video')
const NAMES = ['pictures-and-sound', 'silent']
const readVideo = (name: string) => readFileSync(join(fixtures, `${name}.mp4`))

type Played = { start: number; end: number; seeked: number }

let world: MediaWorld

beforeAll(async () => {
  world = await startMediaWorld()
})
afterAll(() => world.close())

function address(name: string, part: string): string {
  return `${world.url}/video/${world.did}/${world.host.put(readVideo(name))}/${part}`
}

const partsOf = (name: string) => firstVariant(address(name, 'playlist.m3u8'))

describe.each(NAMES)('%s', (name) => {
  const expected = JSON.parse(
    readFileSync(join(fixtures, `${name}.packets.json`), 'utf8'),
  ) as Packet[]

  test('has every packet of the original at its time', async () => {
    const { init, segments } = await partsOf(name)
    const found = packetsOf(init, segments)
    for (const kind of ['video', 'audio']) {
      const ours = found.filter((packet) => packet[0] === kind)
      const theirs = expected.filter((packet) => packet[0] === kind)
      expect(ours.map(([, , ...rest]) => rest)).toEqual(theirs.map(([, , ...rest]) => rest))
      const late = ours.map(([, seconds], i) => Math.abs(seconds - theirs[i]![1]))
      expect(Math.max(0, ...late)).toBeLessThan(0.001)
    }
  })

  test('has a playlist with the lengths of its pieces', async () => {
    const { playlist, segments } = await partsOf(name)
    const lengths = [...playlist.matchAll(/#EXTINF:([\d.]+),/g)].map(([, length]) => Number(length))
    expect(lengths.length).toBe(segments.length)
    const target = Number(/#EXT-X-TARGETDURATION:(\d+)/.exec(playlist)![1])
    expect(Math.max(...lengths)).toBeLessThanOrEqual(target)
    const total = lengths.reduce((sum, length) => sum + length, 0)
    expect(Math.abs(total - (name === 'silent' ? 5 : 9.5))).toBeLessThan(0.2)
    expect(playlist.trimEnd().endsWith('#EXT-X-ENDLIST')).toBe(true)
  })
})

test('its playlist names the one quality, with codecs and size', async () => {
  const message = (await bytesOf(address('pictures-and-sound', 'playlist.m3u8'))).toString()
  const [line, ...others] = message
    .split('\n')
    .filter((line) => line.startsWith('#EXT-X-STREAM-INF'))
  expect(others).toEqual([])
  expect(line).toContain('CODECS="avc1.64000a,mp4a.40.2",RESOLUTION=96x54')
  const { segments } = await partsOf('pictures-and-sound')
  const bits = segments.reduce((sum, { length }) => sum + length * 8, 0)
  const [, most] = /BANDWIDTH=(\d+)/.exec(line!)!
  expect(Number(most)).toBeGreaterThanOrEqual(bits / 9.5 - 1)
})

test('pieces are where players with an older playlist look for them', async () => {
  expect(await bytesOf(address('silent', '0.m4s'))).toEqual(
    await bytesOf(address('silent', '0/0.m4s')),
  )
})

test('a part has its content type, is cacheable, and is not sent twice', async () => {
  const url = address('silent', '0/video.m3u8')
  const response = await fetch(url)
  expect(response.headers.get('content-type')).toBe('application/vnd.apple.mpegurl')
  expect(response.headers.get('cache-control')).toContain('immutable')
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  const etag = response.headers.get('etag')!
  expect((await fetch(url, { headers: { 'if-none-match': etag } })).status).toBe(304)
  expect((await fetch(address('silent', '0/0.m4s'))).headers.get('content-type')).toBe('video/mp4')
})

test('nonexistent parts are refused', async () => {
  const parts = ['99.m4s', '-1.m4s', 'x.m4s', '1.m4s.m4s', 'playlist', '..%2f..']
  const deep = ['1/video.m3u8', '0/99.m4s', '0/0/0.m4s', 'captions/en.m3u8', 'captions/en.vtt']
  for (const part of [...parts, ...deep]) {
    expect((await fetch(address('silent', part))).status, part).toBe(404)
  }
})

test('many parts at once are one fetch of the video', async () => {
  const other = await startMediaWorld({ before: world })
  const before = world.host.requests()
  const parts = ['playlist.m3u8', '0/init.mp4', '0/0.m4s', '1.m4s', '0/2.m4s', '0/video.m3u8']
  const path = new URL(address('pictures-and-sound', '')).pathname
  const statuses = await Promise.all(
    parts.map(async (part) => (await fetch(other.url + path + part)).status),
  )
  expect(new Set(statuses)).toEqual(new Set([200]))
  expect(world.host.requests()).toBe(before + 1)
  await other.close()
})

test.runIf(chromiumPath())('a browser plays it from the first second to the last', async () => {
  const browser = await launchBrowser()
  const page = await browser.newPage()
  page.setDefaultTimeout(0)
  await page.setContent('<video muted></video>')
  const { init, segments } = await partsOf('pictures-and-sound')
  const pieces = [init, ...segments].map((piece) => piece.toString('base64'))
  await page.addScriptTag({ path: join(fixtures, 'play.js') })
  const played = (await page.evaluate(`play(${JSON.stringify(pieces)})`)) as Played
  await browser.close()
  expect(played).toMatchObject({ width: 96, height: 54, ranges: 1, error: null })
  expect(played.start).toBeLessThan(0.01)
  expect(played.end).toBeGreaterThan(9.3)
  expect(played.seeked).toBe(5)
})

test('damaged videos are refused or cut, never worse', async () => {
  const random = createRandom(testSeed('damaged videos'))
  const counts = { refused: 0, cut: 0 }
  for (let i = 0; i < 60; i++) {
    const bytes = damaged(readVideo(NAMES[i % 2]!), random)
    const cid = world.host.put(bytes)
    for (const part of ['playlist.m3u8', '0/video.m3u8', '0/init.mp4', '0/1.m4s']) {
      const response = await fetch(`${world.url}/video/${world.did}/${cid}/${part}`)
      expect([200, 400, 404]).toContain(response.status)
      counts[response.status === 200 ? 'cut' : 'refused'] += 1
      expect((await response.arrayBuffer()).byteLength).toBeLessThan(2 * bytes.length + 600_000)
    }
  }
  expect(counts.refused).toBeGreaterThan(15)
  expect(counts.cut).toBeGreaterThan(15)
  expect(world.process.counts().died).toBe(0)
})

/** A few bytes of the head changed (half of the time to extremes), or a piece cut off. */
function damaged(video: Buffer, random: ReturnType<typeof createRandom>): Buffer {
  const bytes = Buffer.from(video)
  if (random.chance(0.1)) return bytes.subarray(0, random.below(bytes.length))
  const head = bytes.indexOf('moov')
  const span = bytes.readUInt32BE(head - 4)
  for (let i = 0; i < 1 + random.below(4); i++) {
    const at = head - 4 + random.below(span - 4)
    if (random.chance(0.5)) bytes[at] = random.below(256)
    else bytes.writeUInt32BE(random.pick([0, 1, 0x7fffffff, 0x80000000, 0xffffffff]), at)
  }
  return bytes
}
