// The operator's trailer at the end of videos: appended to those it fits, in their container, counted for no
// author, and never a reason for a video not to play.

import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { VideosFrom } from '../../../src/features/media/media-app.ts'
import { checkTrailer } from '../../../src/features/media/trailer/check-trailer.ts'
import { createGuardedFetch } from '../../../src/sources/identity/guarded-fetch.ts'
import { bytesOf, namedBy } from '../../support/playlists.ts'
import { readTs } from '../../support/read-ts.ts'
import { startSlipstream } from '../../support/slipstream-process.ts'
import { type MediaWorld, startMediaWorld } from './support/media-world.ts'
import {
  SERVICE_MASTER,
  startVideoService,
  type VideoServiceDouble,
} from './support/video-service-double.ts'
import { startWatchingWorld } from './support/watching-world.ts'

const fixtures = join(import.meta.dirname, '../../fixtures/video')
const TRAILER = join(fixtures, 'trailer.mp4')
/** With B-frames, and sound that begins before the pictures. */
const REORDERED = join(fixtures, 'pictures-and-sound.mp4')

let world: MediaWorld
let service: VideoServiceDouble

beforeAll(async () => {
  world = await startMediaWorld()
  service = await startVideoService()
})
afterAll(async () => {
  await world.close()
  await service.close()
})

function videosFrom(kind: VideosFrom['kind']): VideosFrom {
  if (kind === 'own') return { kind }
  const fetch = createGuardedFetch({
    allowPrivateHosts: false,
    trustedOrigins: [new URL(service.base).origin],
  })
  return { kind, base: service.base, fetch }
}

function open(kind: VideosFrom['kind'], trailer = TRAILER): Promise<MediaWorld> {
  return startMediaWorld({ before: world, videos: videosFrom(kind), trailer })
}

function put(file: string): string {
  return world.host.put(readFileSync(join(fixtures, file)))
}

/** The playlist of the first quality's pieces. */
async function pieces(of: MediaWorld, cid: string): Promise<{ url: string; text: string }> {
  const [url] = await namedBy(`${of.url}/video/${of.did}/${cid}/playlist.m3u8`)
  return { url: url!, text: (await bytesOf(url!)).toString() }
}

/** The part after the break: the head's address and the pieces'. */
function tailOf({ url, text }: { url: string; text: string }) {
  const [, tail = ''] = text.split('#EXT-X-DISCONTINUITY\n')
  const complete = (path: string) => new URL(path, url).href
  const init = /#EXT-X-MAP:URI="([^"]+)"/.exec(tail)?.[1]
  const files = tail.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const seconds = [...tail.matchAll(/#EXTINF:([\d.]+)/g)].map(([, found]) => Number(found))
  return { init: init && complete(init), files: files.map(complete), seconds }
}

/** Bits per second of each quality: as stated, and as in its pieces. */
async function ratesIn(of: MediaWorld, cid: string) {
  const master = `${of.url}/video/${of.did}/${cid}/playlist.m3u8`
  const lines = (await bytesOf(master)).toString().matchAll(/^#EXT-X-STREAM-INF:(.*)$/gm)
  const messages = [...lines].map(([, line]) => line!)
  const lists = await namedBy(master)
  return Promise.all(
    messages.map(async (line, i) => {
      const pieces = await weighed(lists[i]!)
      const sum = (key: 'bits' | 'seconds') => pieces.reduce((all, value) => all + value[key], 0)
      const [, average] = /AVERAGE-BANDWIDTH=(\d+)/.exec(line) ?? []
      const long = pieces.filter(({ isTrailer, seconds }) => isTrailer && seconds >= 0.5)
      return {
        named: Number(/^BANDWIDTH=(\d+)/.exec(line)![1]),
        average: average === undefined ? undefined : Number(average),
        whole: sum('bits') / sum('seconds'),
        trailer: long.map(({ bits, seconds }) => bits / seconds),
      }
    }),
  )
}

async function weighed(list: string) {
  const text = (await bytesOf(list)).toString()
  const [own = ''] = text.split('#EXT-X-DISCONTINUITY')
  const seconds = [...text.matchAll(/#EXTINF:([\d.]+)/g)].map(([, found]) => Number(found))
  const before = [...own.matchAll(/#EXTINF/g)].length
  const files = await namedBy(list)
  return Promise.all(
    files.map(async (file, i) => ({
      isTrailer: i >= before,
      seconds: seconds[i]!,
      bits: (await bytesOf(file)).length * 8,
    })),
  )
}

describe('appended to a video', () => {
  test('of our own it is MP4 with a separate head, at one address for all videos', async () => {
    const of = await open('own')
    const tails = await Promise.all(
      ['pictures-and-sound.mp4', 'silent.mp4'].map(async (file) =>
        tailOf(await pieces(of, put(file))),
      ),
    )
    for (const [i, { init, files, seconds }] of tails.entries()) {
      const head = (await bytesOf(init!)).toString('latin1')
      expect([head.includes('avc1'), head.includes('mp4a')]).toEqual([true, i === 0])
      expect(Math.abs(seconds.reduce((sum, value) => sum + value, 0) - 5)).toBeLessThan(0.1)
      for (const file of files) expect((await bytesOf(file)).toString('latin1', 4, 8)).toBe('moof')
      expect((await fetch(init!)).headers.get('cache-control')).toMatch(/immutable/)
    }
    expect(tailOf(await pieces(of, put('pictures-and-sound.mp4')))).toEqual(tails[0])
    await of.close()
  })

  test('its parameter sets are in its pictures, too, for players that skip its head', async () => {
    const of = await open('own')
    const { files } = tailOf(await pieces(of, put('silent.mp4')))
    for (const file of files) {
      const bytes = await bytesOf(file)
      let at = bytes.readUInt32BE(0) + 8 // behind moof and the head of mdat
      const types = [0, 1, 2].map(() => {
        const type = bytes[at + 4]! & 0x1f
        at += 4 + bytes.readUInt32BE(at)
        return type
      })
      expect(types.slice(0, 2)).toEqual([7, 8])
      expect([5, 6, 9]).toContain(types[2])
    }
    await of.close()
  })

  test('of a service it is a transport stream like the rest', async () => {
    for (const kind of ['cdn', 'proxy'] as const) {
      const of = await open(kind, REORDERED)
      const { init, files, seconds } = tailOf(await pieces(of, put('silent.mp4')))
      expect(init).toBeUndefined()
      const read = readTs(Buffer.concat(await Promise.all(files.map(bytesOf))))
      expect(read.gaps).toBe(0)
      expect(read.tables).toBe(files.length)
      expect(read.pictures).toHaveLength(95)
      expect(read.pictures.filter(({ dts, pts }) => dts > pts)).toEqual([])
      const visible = read.pictures.map(({ pts }) => pts).sort((a, b) => a - b)
      expect(visible.map((pts, i) => pts - visible[0]! - i * 9000).every((off) => off === 0)).toBe(
        true,
      )
      expect(read.soundFrames).toBeGreaterThan(140)
      expect(read.sound[0]!.pts - visible[0]!).toBe(0)
      expect(Math.abs(seconds.reduce((sum, value) => sum + value, 0) - 9.5)).toBeLessThan(0.1)
      await of.close()
    }
  })

  test('of any source it is within the bandwidth stated in the playlist', async () => {
    const without = await startMediaWorld({ before: world, videos: { kind: 'own' } })
    const [light] = await ratesIn(without, put('silent.mp4'))
    for (const kind of ['own', 'cdn', 'proxy'] as const) {
      const of = await open(kind)
      const cid = put('silent.mp4')
      const rates = await ratesIn(of, cid)
      expect(rates).toHaveLength(kind === 'own' ? 1 : 2)
      for (const { named, average, whole: complete, trailer } of rates) {
        expect(trailer.length).toBeGreaterThan(0)
        for (const rate of trailer) expect(rate).toBeLessThanOrEqual(named)
        if (kind !== 'own') continue
        expect(Math.max(...trailer)).toBeGreaterThan(light!.named)
        expect(Math.abs(average! - complete)).toBeLessThan(complete / 100)
      }
      await of.close()
    }
    await without.close()
  })

  test('it never counts as watched', async () => {
    const watched = async (trailer: string | undefined) => {
      const w = await startWatchingWorld('own', trailer === undefined ? {} : { trailer })
      const { rkey } = w.post()
      const [variant] = await namedBy(w.master(rkey))
      const files = await namedBy(variant!)
      for (const file of files) await bytesOf(file)
      await w.tell()
      const stats = await w.stats()
      await w.close()
      return { files: files.length, seconds: stats.map(({ seconds }) => seconds) }
    }
    const [without, withIt] = [await watched(undefined), await watched(TRAILER)]
    expect(withIt.files).toBeGreaterThan(without.files)
    expect(withIt.seconds).toEqual(without.seconds)
  })
})

describe('left out', () => {
  test.each([
    ['videos with another picture codec', 'hvc1.1.6.L93.B0,mp4a.40.2'],
    ['videos with another sound codec', 'avc1.64000a,opus'],
    ['videos with undeclared codecs', undefined],
  ])('%s', async (_, codecs) => {
    const line = codecs === undefined ? '' : `,CODECS="${codecs}"`
    service.answer('playlist.m3u8', SERVICE_MASTER.replaceAll(/,CODECS="[^"]+"/g, line))
    const of = await open('cdn')
    const cid = world.host.put(Buffer.from(codecs ?? 'none'))
    const { text } = await pieces(of, cid)
    expect(text).toContain('0.ts')
    expect(text).not.toContain('DISCONTINUITY')
    service.answer('playlist.m3u8', SERVICE_MASTER)
    await of.close()
  })

  test('a file changed after the start; the video plays, and the log says so once', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'slipstream-trailer-')), 'trailer.mp4')
    copyFileSync(TRAILER, path)
    const of = await open('own', path)
    copyFileSync(REORDERED, path)
    for (let i = 0; i < 3; i++) {
      const { text } = await pieces(of, put('pictures-and-sound.mp4'))
      expect(text).toContain('0.m4s')
      expect(text).not.toContain('DISCONTINUITY')
    }
    expect(of.warnings).toHaveLength(1)
    await of.close()
  })

  test('one with false samples, in the form that has to read them', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'slipstream-trailer-')), 'trailer.mp4')
    const bytes = readFileSync(TRAILER)
    const mdat = bytes.indexOf('mdat') + 4
    bytes.fill(0xff, mdat, mdat + 400)
    writeFileSync(path, bytes)
    const of = await open('cdn', path)
    expect((await pieces(of, put('silent.mp4'))).text).not.toContain('DISCONTINUITY')
    expect(of.process.counts()).toMatchObject({ refused: 1, died: 0 })
    await of.close()
  })

  test('a name that is none of its files', async () => {
    const of = await open('own')
    const { init } = tailOf(await pieces(of, put('silent.mp4')))
    const folder = init!.replace(/[^/]+$/, '')
    const names = ['99.m4s', '-1.m4s', 'x', '', '0.m4s/0.m4s', '../x/init.mp4']
    for (const name of names) expect((await fetch(folder + name)).status, name).toBe(404)
    const other = folder.replace(/trailer\/../, 'trailer/00')
    expect((await fetch(`${other}init.mp4`)).status).toBe(404)
    await of.close()
  })
})

describe('at the start', () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-trailer-'))
  const file = (name: string, bytes: string | Buffer) => {
    writeFileSync(join(folder, name), bytes)
    return join(folder, name)
  }

  test('a fitting file is identified by its bytes', () => {
    expect(checkTrailer(TRAILER)).toMatchObject({
      path: TRAILER,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
  })

  test.each([
    ['a missing file', () => join(folder, 'nothing.mp4'), /cannot be read: ENOENT.*/],
    ['a folder', () => folder, /is not a file/],
    ['a text file', () => file('text.mp4', 'not a video at all'), /is not an MP4 that can be cut/],
    ['an empty file', () => file('empty.mp4', ''), /is not an MP4 that can be cut/],
    ['half a video', () => file('half.mp4', readFileSync(TRAILER).subarray(0, 3000)), /not an MP4/],
    [
      'a video without sound',
      () => join(fixtures, 'silent.mp4'),
      /has avc1\.[0-9a-f]{6}, not pictures in/,
    ],
    [
      'a video that is too long',
      () => file('long.mp4', longer(readFileSync(TRAILER))),
      /seconds, of 30 at most/,
    ],
    [
      'a file that is too large',
      () => large(file('large.mp4', '')),
      /has 16000001 bytes, of 16000000 at most/,
    ],
  ])('%s is refused, with a remedy', (_, path, message) => {
    const reported = expect.objectContaining({
      name: 'ConfigError',
      message: expect.stringMatching(message),
      hint: expect.stringMatching(/MP4/),
    })
    expect(() => checkTrailer(path())).toThrow(reported)
  })

  test('it prevents the start, before anything is created', async () => {
    const dataDir = join(folder, 'data')
    const refused = startSlipstream({ DATA_DIR: dataDir, VIDEO_TRAILER: join(folder, 'none.mp4') })
    expect(await refused.exit).toBe(78)
    expect(refused.output()).toMatch(/SLIPSTREAM_VIDEO_TRAILER: .*none\.mp4 cannot be read/)
    expect(existsSync(dataDir)).toBe(false)
  })

  function large(path: string): string {
    truncateSync(path, 16_000_001)
    return path
  }

  /** Lengthens the video by making its time unit ten times as long. */
  function longer(bytes: Buffer): Buffer {
    const mdhd = bytes.indexOf('mdhd') + 4
    bytes.writeUInt32BE(Math.floor(bytes.readUInt32BE(mdhd + 12) / 10), mdhd + 12)
    return bytes
  }
})
