// Videos watched over real HTTP, through two serving threads, while one ingest thread counts the views in
// rows: posts, sessions and figures are real, the clock is the test's.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { vi } from 'vitest'
import { createCounts } from '../../../../src/base/obs/counts.ts'
import type { Writer } from '../../../../src/bridge/messages.ts'
import { noRetry } from '../../../../src/data/store/write-retry.ts'
import { createVideoPosts } from '../../../../src/features/media/hls/video-posts.ts'
import { createWatchLog, type WatchLog } from '../../../../src/features/media/hls/watch-log.ts'
import {
  createSessionSpace,
  createWatchSessions,
  type SessionSpace,
} from '../../../../src/features/media/hls/watch-sessions.ts'
import { createWatching, type Watching } from '../../../../src/features/media/hls/watching.ts'
import type { VideosFrom } from '../../../../src/features/media/media-app.ts'
import type { MediaCalls } from '../../../../src/features/media/requests.ts'
import { createVideoWatches } from '../../../../src/features/media/watches/count-watches.ts'
import { startPruning } from '../../../../src/features/media/watches/prune-watches.ts'
import { createGuardedFetch } from '../../../../src/sources/identity/guarded-fetch.ts'
import { createServingWorld, type ServingWorld } from '../../../support/serving-world.ts'
import { type MediaWorld, startMediaWorld } from './media-world.ts'
import { startVideoService } from './video-service-double.ts'

const VIDEO = readFileSync(
  join(import.meta.dirname, '../../../fixtures/video/pictures-and-sound.mp4'),
)

export type VideoStat = { uri: string; date: string; seconds: number; sessions: number }

type VideoWatches = ReturnType<typeof createVideoWatches>
type Limits = { maxSessions?: number; maxRowsADay?: number }

export type WatchingWorld = Awaited<ReturnType<typeof startWatchingWorld>>

/** All in-memory state of one process, as after a start. */
function createProcess(rows: ServingWorld, parts: { now: () => number; limits: Limits }) {
  const { now, limits } = parts
  const counts = createCounts()
  const writer = { commit: rows.run }
  const watches = createVideoWatches({ writer, counts, now, ...limits })
  return { counts, watches, space: createSessionSpace() }
}

function createThread(
  rows: ServingWorld,
  process: { now: () => number; watches: () => VideoWatches; space: () => SessionSpace },
): { log: WatchLog; watching: Watching } {
  const { now } = process
  const writer: Writer = {
    async send(request) {
      if (request.kind !== 'media/watched') return
      process.watches().record((request.body as MediaCalls['media/watched']).watches)
    },
  }
  const log = createWatchLog({
    writer,
    serviceDid: 'did:web:x.test',
    everyMs: 0,
    log: { debug: (...line: unknown[]) => console.error(...line) },
  })
  const { actors } = rows.memory
  const posts = createVideoPosts({ db: rows.reader, actors })
  const sessions = {
    begin: (...requested: Parameters<ReturnType<typeof createWatchSessions>['begin']>) =>
      createWatchSessions({ space: process.space(), now }).begin(...requested),
    read: (...requested: Parameters<ReturnType<typeof createWatchSessions>['read']>) =>
      createWatchSessions({ space: process.space(), now }).read(...requested),
  }
  const uidOf = (did: string) => actors.uidOf(did)
  return { log, watching: createWatching({ sessions, log, posts, uidOf, now }) }
}

export async function startWatchingWorld(
  kind: VideosFrom['kind'] = 'own',
  {
    retentionDays = 90,
    trailer,
    ...limits
  }: Limits & { retentionDays?: number; trailer?: string } = {},
) {
  let clock = Date.parse('2026-11-20T09:30:00.000Z')
  const now = () => clock
  const rows = createServingWorld({ env: { SLIPSTREAM_VIDEO_STATS_DAYS: String(retentionDays) } })
  const service = await startVideoService()
  let process = createProcess(rows, { now, limits })
  const of = { now, watches: () => process.watches, space: () => process.space }
  const threads = [createThread(rows, of), createThread(rows, of)]
  const worlds = await startMediaWorlds(rows, threads, {
    videos: videosFrom(kind, service.base),
    trailer,
  })
  const { did, host } = worlds[0]!
  rows.member(did)
  const cid = host.put(VIDEO)

  return {
    rows,
    did,
    cid,
    now,
    counts: () => process.counts.read(),
    /** A post by the author that embeds the video. */
    post: () => postVideo(rows, { did, cid }),
    /** On either thread. */
    master: (rkey: string, thread = 0) =>
      `${worlds[thread]!.url}/video/${did}/${cid}/playlist.m3u8?post=${rkey}`,
    /** The same URL on the other thread. */
    elsewhere: (url: string, thread: number) => {
      const { pathname, search } = new URL(url)
      return worlds[thread]!.url + pathname + search
    },
    advance(milliseconds: number) {
      clock += milliseconds
    },
    async tell() {
      for (const { log } of threads) await log.tell()
    },
    /** Loses all in-memory state, including unreported watches. */
    restart() {
      process = createProcess(rows, { now, limits })
    },
    /** As the ingest thread does each minute. */
    keepHouse: (videoStatsDays: number) => runHousekeeping(rows, { now, videoStatsDays }),
    /** Reads all pages, as the author sees them. */
    stats: (uri?: string) => readStats(rows, did, uri),
    async close() {
      for (const world of worlds.reverse()) await world.close()
      await service.close()
      rows.dispose()
    },
  }
}

/** Starts media routes for each thread, with one account and its PDS. */
async function startMediaWorlds(
  rows: ServingWorld,
  threads: { watching: Watching }[],
  options: { videos: VideosFrom; trailer: string | undefined },
): Promise<MediaWorld[]> {
  const posts = createVideoPosts({ db: rows.reader, actors: rows.memory.actors })
  const worlds: MediaWorld[] = []
  for (const { watching } of threads) {
    worlds.push(await startMediaWorld({ before: worlds[0]!, posts, watching, ...options }))
  }
  return worlds
}

function postVideo(
  rows: ServingWorld,
  { did, cid }: { did: string; cid: string },
): { uri: string; rkey: string } {
  const video = { $type: 'blob', mimeType: 'video/mp4', size: 10, ref: { $link: cid } }
  const { uri } = rows.post(did, { embed: { $type: 'app.bsky.embed.video', video } })
  return { uri, rkey: uri.split('/').at(-1)! }
}

function runHousekeeping(
  rows: ServingWorld,
  { now, videoStatsDays }: { now: () => number; videoStatsDays: number },
): void {
  vi.useFakeTimers({ toFake: ['setInterval'] })
  const house = startPruning({
    writer: { commit: rows.run },
    now,
    days: videoStatsDays,
    diskSpace: noRetry,
    log: { debug: () => undefined },
  })
  vi.advanceTimersByTime(60_000)
  vi.useRealTimers()
  house.stop()
}

async function readStats(
  rows: ServingWorld,
  author: string,
  uri: string | undefined,
): Promise<VideoStat[]> {
  const all: VideoStat[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await rows.get<{ stats: VideoStat[]; cursor?: string }>(
      'io.slipstream.video.getStats',
      { ...(uri && { uri }), limit: 3, ...(cursor && { cursor }) },
      author,
    )
    all.push(...page.stats)
    if (page.cursor === undefined) return all
    cursor = page.cursor
  }
}

function videosFrom(kind: VideosFrom['kind'], base: string): VideosFrom {
  if (kind === 'own') return { kind }
  const trustedOrigins = [new URL(base).origin]
  return { kind, base, fetch: createGuardedFetch({ allowPrivateHosts: false, trustedOrigins }) }
}
