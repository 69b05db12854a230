// What videos cost a serving thread: a playlist of either kind as requested by a player, parsing a service's
// playlist, reading and writing captions, and pieces proxied through the server, over a real socket to a
// process that only counts bytes.

import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { serve } from '@hono/node-server'
import type { Hono } from 'hono'
import { readPlaylist } from '../src/features/media/hls/read-playlist.ts'
import { readCues, writeVtt } from '../src/features/media/hls/vtt.ts'
import { createMediaApp } from '../src/features/media/media-app.ts'
import { FetchError } from '../src/sources/identity/fetch-error.ts'
import type { GuardedFetch } from '../src/sources/identity/guarded-fetch.ts'
import type { BenchOptions, BenchResult } from './runner/result.ts'
import { bestNs } from './support/cpu-time.ts'

/** Three minutes, the lexicons' maximum, in pieces of four seconds. */
const SEGMENTS = 45
const PIECE_BYTES = 188 * 40_000
const BASE = 'https://video.test/watch'
const PATH = `/video/did:plc:${'a'.repeat(24)}/bafkrei${'a'.repeat(52)}`
const MASTER = `#EXTM3U\n${['360x640', '720x1280']
  .map(
    (size, i) => `#EXT-X-STREAM-INF:BANDWIDTH=${i + 1}000000,RESOLUTION=${size}\n${i}/v.m3u8?s=1\n`,
  )
  .join('')}`
const LIST = `#EXTM3U\n#EXT-X-TARGETDURATION:4\n${Array.from(
  { length: SEGMENTS },
  (_, i) => `#EXTINF:4.000000,\nvideo${i}.ts?session_id=abcdef\n`,
).join('')}#EXT-X-ENDLIST\n`
const CAPTIONS = `WEBVTT\n\n${'00:01.000 --> 00:02.000\nA line of words that somebody said\n\n'.repeat(300)}`

/** Counts the bytes of a URL, fetched repeatedly. */
const READER = `
let bytes = 0
for (let i = 0; i < Number(process.argv[2]); i++) {
  for await (const piece of (await fetch(process.argv[1])).body) bytes += piece.length
}
console.log(bytes)`

export async function bench({ full }: BenchOptions): Promise<BenchResult[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-bench-video-'))
  try {
    const app = mediaApp(dataDir)
    return [
      await requestCost(app, 'video.master.cpu_ms', 'playlist.m3u8?post=3k'),
      await requestCost(app, 'video.list.cpu_ms', '0/video.m3u8'),
      ...parsing(),
      await pieceCost(app, full ? 200 : 20),
    ]
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function mediaApp(dataDir: string): Hono {
  const fetch: GuardedFetch = async (url, { sink } = {}) => {
    const body = url.includes('playlist.m3u8') ? MASTER : url.includes('v.m3u8') ? LIST : undefined
    if (body === undefined) await sink?.(Buffer.alloc(PIECE_BYTES, 0x47))
    return { status: 200, headers: new Headers(), body: Buffer.from(body ?? ''), url }
  }
  const away = () => Promise.reject(new FetchError('connect', 'no request is expected'))
  return createMediaApp({
    dataDir,
    maxCacheBytes: 1 << 30,
    hasImages: false,
    fetch: away,
    resolver: { resolve: away },
    videos: { kind: 'proxy', base: BASE, fetch },
    posts: { captionsOf: () => [{ language: 'en', cid: 'x' }], shows: () => false },
    actors: { uidOf: () => 1, flagsOf: () => 0, memberFollowersOf: () => 0 },
    log: { debug: () => undefined, warn: console.error, error: console.error },
    process: { run: away },
  })
}

async function requestCost(app: Hono, name: string, part: string): Promise<BenchResult> {
  const times = 2000
  let best = Number.POSITIVE_INFINITY
  for (let run = 0; run < 4; run++) {
    const before = process.cpuUsage()
    for (let i = 0; i < times; i++) {
      const response = await app.request(`http://localhost${PATH}/${part}`)
      if (response.status !== 200) throw new Error(await response.text())
      await response.arrayBuffer()
    }
    const { user, system } = process.cpuUsage(before)
    best = Math.min(best, (user + system) / 1000 / times)
  }
  return { name, value: best, unit: 'ms' }
}

function parsing(): BenchResult[] {
  const list = Buffer.from(LIST)
  const captions = Buffer.from(CAPTIONS)
  const read = bestNs(500, () => {
    for (let i = 0; i < 500; i++) readPlaylist(list, (uri) => new URL(uri, BASE).href)
  })
  const written = bestNs(100, () => {
    for (let i = 0; i < 100; i++) writeVtt(readCues(captions))
  })
  return [
    { name: 'video.read_service.cpu_ms', value: read / 1e6, unit: 'ms' },
    { name: 'video.captions_300.cpu_ms', value: written / 1e6, unit: 'ms' },
  ]
}

/**
 * Processor time of this serving process for the bytes that one gigabit per second delivers in a
 * second.
 */
async function pieceCost(app: Hono, times: number): Promise<BenchResult> {
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' })
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}${PATH}/0/0.ts`
  const read = async (count: number) => {
    const args = ['--input-type=module', '-e', READER, url, String(count)]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    return Number(stdout)
  }
  await read(1)
  const before = process.cpuUsage()
  const bytes = await read(times)
  const { user, system } = process.cpuUsage(before)
  await new Promise((resolve) => server.close(resolve))
  const coreSeconds = (user + system) / 1e6
  return {
    name: 'video.piece.cores_per_gbit',
    value: coreSeconds / ((bytes * 8) / 1e9),
    unit: 'cores',
  }
}
