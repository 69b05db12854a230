// Videos with false tables, built box by box: refused with a reason, for work at most linear in their size,
// and never with more bytes of output than of input.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkOffsets } from '../../../src/features/media/mp4/check-offsets.ts'
import { planSegments } from '../../../src/features/media/mp4/plan-segments.ts'
import { readMovie } from '../../../src/features/media/mp4/read-movie.ts'
import {
  box,
  DATA_AT,
  FTYP,
  honestTrack,
  mp4Of,
  numbers,
  sizedBox,
  table,
} from '../../support/mp4-builder.ts'
import { type MediaWorld, startMediaWorld } from './support/media-world.ts'

const data = Buffer.alloc(10_000, 7)
const honest = () => mp4Of({ data, tracks: [honestTrack(100, 100)] })

let world: MediaWorld

beforeAll(async () => {
  world = await startMediaWorld()
})
afterAll(() => world.close())

function ask(video: Buffer, part = '0/video.m3u8'): Promise<Response> {
  return fetch(`${world.url}/video/${world.did}/${world.host.put(video)}/${part}`)
}

test('a refused video is neither fetched nor read again for any part', async () => {
  const video = withTrack({ stsc: rewinding(20_000) })
  expect((await ask(video)).status).toBe(400)
  const before = [world.host.requests(), world.process.counts().refused]
  for (const part of ['playlist.m3u8', 'init.mp4', '0.m4s', '7.m4s']) {
    expect((await ask(video, part)).status).toBe(400)
  }
  expect([world.host.requests(), world.process.counts().refused]).toEqual(before)
  world.advance(3_601_000)
  expect((await ask(video)).status).toBe(400)
  expect(world.process.counts().refused).toBe(before[1]! + 1)
})

test('an honest file from the same builder is streamed', async () => {
  const stored = world.process.counts()
  const response = await ask(honest())
  expect(response.status).toBe(200)
  expect(await response.text()).toContain('2.m4s')
  expect((await ask(honest(), '2.m4s')).status).toBe(200)
  expect(world.process.counts()).toEqual(stored)
})

function withTrack(change: Parameters<typeof honestTrack>[2]): Buffer {
  return mp4Of({ data, tracks: [honestTrack(100, 100, change)] })
}

/** The honest file with the size of one box changed. */
function resized(type: string, size: number): Buffer {
  const bytes = honest()
  bytes.writeUInt32BE(size, bytes.indexOf(type, 40) - 4)
  return bytes
}

function nested(depth: number): Buffer {
  let inner: Buffer = Buffer.alloc(0)
  for (let i = 0; i < depth; i++) inner = box('moov', inner)
  return Buffer.concat([FTYP, inner])
}

const second = honestTrack(100, 100, { handler: 'soun' })
const tiny = table(60_000, () => [1, 0])

const hostile: [string, () => Buffer][] = [
  ['runs of chunks in descending order', () => withTrack({ stsc: rewinding(20_000) })],
  ['identical runs of chunks', () => withTrack({ stsc: table(9, () => [1, 1, 1]) })],
  ['runs that begin after the first chunk', () => withTrack({ stsc: table(1, () => [2, 1, 1]) })],
  ['chunks without samples', () => withTrack({ stsc: table(1, () => [1, 0, 1]) })],
  ['samples all at one place', () => withTrack({ stco: table(100, () => [DATA_AT]) })],
  ['samples that share a byte', () => withTrack({ stco: table(100, (i) => [DATA_AT + i * 99]) })],
  ['two tracks of the same bytes', () => mp4Of({ data, tracks: [honestTrack(100, 100), second] })],
  ['samples in the head', () => withTrack({ stco: table(100, (i) => [i * 100]) })],
  [
    'samples past the end of the file',
    () => withTrack({ stco: table(100, (i) => [9e4 + i * 100]) }),
  ],
  ['samples of four gigabytes', () => withTrack({ stsz: numbers(0xffffffff, 100) })],
  ['four billion samples', () => withTrack({ stsz: numbers(1, 0xffffffff) })],
  ['more sizes than the table holds', () => withTrack({ stsz: numbers(0, 100, 1, 2, 3) })],
  [
    'more chunks than the table holds',
    () => withTrack({ stco: table(9, () => [DATA_AT], 199_999) }),
  ],
  ['more times than the table holds', () => withTrack({ stts: table(1, () => [1, 1], 150_000) })],
  ['empty samples', () => empty(150_000)],
  [
    'samples that last half a century',
    () => withTrack({ stts: table(1, () => [100, 0xffffffff]) }),
  ],
  ['a segment for each sample', () => instants(20_000)],
  ['a timescale of 0', () => withTrack({ timescale: 0 })],
  [
    'hundreds of boxes in a track',
    () => withTrack({ more: Array.from({ length: 300 }, () => box('free')) }),
  ],
  ['a box of size 0', () => Buffer.concat([FTYP, sizedBox('free', 0, data)])],
  ['deeply nested boxes', () => nested(500)],
  ['hundreds of top-level boxes', () => Buffer.concat([FTYP, ...Array(200).fill(box('free'))])],
  ['two heads, the first empty', () => Buffer.concat([FTYP, box('moov'), honest()])],
  ...['moov', 'trak', 'mdia', 'stbl', 'stco', 'mvhd'].flatMap((type): [string, () => Buffer][] =>
    [1, 7, 0x7fffffff, 0xffffffff].map((size) => [
      `${type} of size ${size}`,
      () => resized(type, size),
    ]),
  ),
]

/** Every second run begins after the last chunk, and the others at the first one. */
function rewinding(count: number): Buffer {
  return table(count, (i) => [i % 2 ? 200_001 : 1, 0, 1])
}

function empty(count: number): Buffer {
  const track = honestTrack(1, 0, { stts: table(1, () => [count, 1]), stsz: numbers(0, count) })
  const stsz = Buffer.concat([numbers(0, count), Buffer.alloc(count * 4)])
  return mp4Of({ data, tracks: [{ ...track, stsz, stsc: table(1, () => [1, count, 1]) }] })
}

function instants(count: number): Buffer {
  const track = honestTrack(count, 1, { stts: table(1, () => [count, 4]), timescale: 1 })
  return mp4Of({ data: Buffer.alloc(count), tracks: [track] })
}

describe('refused', () => {
  test.each(hostile)('%s', async (_what, make) => {
    const response = await ask(make())
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: 'NotStreamable' },
    ])
    expect((await ask(make(), '0.m4s')).status).toBe(400)
  })
})

test('the output is at most the input plus heads', async () => {
  const video = mp4Of({ data, tracks: [honestTrack(100, 100, { more: [box('stss', tiny)] })] })
  const playlist = await (await ask(video)).text()
  const parts = playlist.split('\n').filter((line) => /^\d+\.m4s$/.test(line))
  const bodies = await Promise.all(parts.map(async (part) => (await ask(video, part)).bytes()))
  const sum = bodies.reduce((total, { length }) => total + length, 0)
  expect(sum).toBeLessThan(data.length + 100 * 16 + parts.length * 300)
})

test('a cut video is streamed from disk, whatever happens to its server', async () => {
  const video = withTrack({ timescale: 999 })
  expect((await ask(video, '1.m4s')).status).toBe(200)
  world.host.behave({ fail: 500 })
  const restarted = await startMediaWorld({ before: world, dataDir: world.dataDir })
  const cid = world.host.put(video)
  for (const part of ['playlist.m3u8', 'init.mp4', '0.m4s']) {
    const response = await fetch(`${restarted.url}/video/${world.did}/${cid}/${part}`)
    expect([part, response.status]).toEqual([part, 200])
    await response.arrayBuffer()
  }
  expect(restarted.process.pid()).toBeUndefined()
  await restarted.close()
  world.host.behave(undefined)
})

test('a range of a part is that range', async () => {
  const complete = await (await ask(honest(), '1.m4s')).bytes()
  const url = `${world.url}/video/${world.did}/${world.host.put(honest())}/1.m4s`
  const response = await fetch(url, { headers: { range: 'bytes=10-99' } })
  expect(response.status).toBe(206)
  expect(Buffer.from(await response.bytes()).equals(complete.subarray(10, 100))).toBe(true)
})

test('work grows at most linearly with the number of entries', () => {
  const least = (samples: number) => Math.min(...[1, 2, 3].map(() => processorTime(samples)))
  const few = least(4_000)
  const many = least(100_000)
  // Twenty-five times as many entries; quadratic work would take 625 times as long.
  expect(many).toBeLessThan(120 * few + 200_000)
})

/** Microseconds for a file in which each sample has its own chunk, run, time and delay. */
function processorTime(samples: number): number {
  const track = honestTrack(samples, 1, {
    stts: table(samples, () => [1, 100]),
    stsc: table(samples, (i) => [i + 1, 1, 1]),
    more: [
      box(
        'ctts',
        table(samples, () => [1, 5]),
      ),
    ],
  })
  const bytes = mp4Of({ data: Buffer.alloc(samples), tracks: [track] })
  const moov = bytes.subarray(DATA_AT + samples)
  const before = process.threadCpuUsage()
  for (let i = 0; i < 5; i++) {
    const movie = readMovie(moov)
    const mdats = [{ start: DATA_AT, end: DATA_AT + samples }]
    checkOffsets(movie, { mdats, fileBytes: bytes.length })
    expect(planSegments(movie).length).toBe(Math.ceil(samples / 40))
  }
  const { user, system } = process.threadCpuUsage(before)
  return user + system
}
