// A video as a player streams it: HTTP Live Streaming (RFC 8216) of the one quality that was uploaded, cut
// into fragments of a few seconds while it is asked for. Nothing is encoded anew, so it costs a read of
// the file; and since the browsers' players of clients take HLS only, it is what makes a video playable
// without anybody's video service.

import { createLimiter } from '../identity/limiter.ts'
import { LruMap } from '../identity/lru.ts'
import { HEAD_BYTES } from './cache-entry.ts'
import type { OpenedEntry } from './disk-cache.ts'
import { MediaError } from './media-error.ts'
import { Mp4Error } from './mp4/boxes.ts'
import { checkPlaces } from './mp4/check-places.ts'
import { planSegments, type Segment } from './mp4/plan-segments.ts'
import { type Mp4File, readLayout, readRun } from './mp4/read-file.ts'
import { type Movie, readMovie } from './mp4/read-movie.ts'
import { writeInit } from './mp4/write-init.ts'
import { writeSegment } from './mp4/write-segment.ts'

export type HlsPart = { contentType: string; body: Buffer }

/** `playlist.m3u8`, `init.mp4` or `<number>.m4s`; the entry stays open. */
export type Hls = (entry: OpenedEntry, part: string) => Promise<HlsPart>

type Plan = { movie: Movie; segments: Segment[] }

const PLAYLIST = 'playlist.m3u8'
const INIT = 'init.mp4'
const MAX_PLANS = 16
const MAX_RUNNING = 4
const MAX_WAITING = 200

/** @throws MediaError from the function it makes. */
export function createHls(): Hls {
  const plans = new LruMap<string, Plan>(MAX_PLANS)
  const limiter = createLimiter({
    maxRunning: MAX_RUNNING,
    maxWaiting: MAX_WAITING,
    full: () => new MediaError('busy', 'Busy', 'too many videos at once'),
  })

  async function planOf(mp4: Mp4File, digest: string): Promise<Plan> {
    const known = plans.get(digest)
    if (known) return known
    const { moov, mdats } = await readLayout(mp4)
    const movie = readMovie(moov)
    checkPlaces(movie, { mdats, fileBytes: mp4.length })
    const plan = { movie, segments: planSegments(movie) }
    plans.set(digest, plan)
    return plan
  }

  return async (entry, part) => {
    const mp4 = { file: entry.file, begin: HEAD_BYTES, length: entry.length }
    try {
      return await limiter.run(async () => makePart(mp4, await planOf(mp4, entry.digest), part))
    } catch (error) {
      if (!(error instanceof Mp4Error)) throw error
      throw new MediaError(
        'refused',
        'NotStreamable',
        `the video cannot be cut: ${error.message}`,
        {
          cause: error,
        },
      )
    }
  }
}

async function makePart(mp4: Mp4File, { movie, segments }: Plan, part: string): Promise<HlsPart> {
  if (part === PLAYLIST) {
    return { contentType: 'application/vnd.apple.mpegurl', body: writePlaylist(segments) }
  }
  if (part === INIT) return { contentType: 'video/mp4', body: writeInit(movie) }
  const number = Number(/^(\d{1,6})\.m4s$/.exec(part)?.[1] ?? Number.NaN)
  const segment = segments[number]
  if (!segment) throw new MediaError('missing', 'NoSuchPart', 'the video has no such part')
  const bodies: Buffer[] = []
  for (const run of segment.runs) bodies.push(await readRun(mp4, run))
  return { contentType: 'video/mp4', body: writeSegment(segment, number, bodies) }
}

function writePlaylist(segments: Segment[]): Buffer {
  const longest = Math.max(1, ...segments.map(({ durationSeconds }) => durationSeconds))
  const lines = [
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    '#EXT-X-PLAYLIST-TYPE:VOD',
    '#EXT-X-INDEPENDENT-SEGMENTS',
    `#EXT-X-TARGETDURATION:${Math.ceil(longest)}`,
    `#EXT-X-MAP:URI="${INIT}"`,
    ...segments.flatMap(({ durationSeconds }, i) => [
      `#EXTINF:${durationSeconds.toFixed(5)},`,
      `${i}.m4s`,
    ]),
    '#EXT-X-ENDLIST',
    '',
  ]
  return Buffer.from(lines.join('\n'))
}
