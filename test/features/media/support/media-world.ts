// The media routes over real HTTP, in front of a PLC directory and a PDS that has blobs, all on local ports.

import { mkdtempSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from '@hono/node-server'
import type { CallTime } from '../../../../src/base/util/turn.ts'
import { HIDDEN } from '../../../../src/data/graph/types.ts'
import type { VideoPosts } from '../../../../src/features/media/hls/captions.ts'
import type { Watching } from '../../../../src/features/media/hls/watching.ts'
import { createMediaApp, type VideosFrom } from '../../../../src/features/media/media-app.ts'
import {
  createMediaProcess,
  type MediaProcess,
} from '../../../../src/features/media/process/media-process.ts'
import { checkTrailer } from '../../../../src/features/media/trailer/check-trailer.ts'
import {
  createGuardedFetch,
  type GuardedFetch,
} from '../../../../src/sources/identity/guarded-fetch.ts'
import { createResolver } from '../../../../src/sources/identity/resolver.ts'
import { type BlobHost, startBlobHost } from '../../../support/blob-host.ts'
import { type PlcDouble, startPlcDouble } from '../../../support/plc-double.ts'

export type MediaWorld = {
  host: BlobHost
  plc: PlcDouble
  url: string
  /** An account known to the routes. */
  did: string
  dataDir: string
  image(preset: string, cid: string, init?: RequestInit & { did?: string }): Promise<Response>
  /** Adds another known account, on another PDS; no member follows a stranger. */
  know(pds: string, who?: 'stranger'): Promise<string>
  setHidden(isHidden: boolean): void
  /** Moves the clock of the routes. */
  advance(milliseconds: number): void
  warnings: unknown[]
  /** Number of requests so far. */
  requested(): number
  process: MediaProcess
  close(): Promise<void>
}

/** Longer than any test's own limit. */
export const NO_LIMIT_MS = 3_600_000
const NO_POSTS: VideoPosts = { captionsOf: () => [], shows: () => false }

type MediaAppOptions = Parameters<typeof createMediaApp>[0]

/** Requests give their client address as `x-visitor`. */
type MediaWorldOptions = {
  maxCacheBytes?: number
  dataDir?: string
  /** Reuses its directory, account and PDS. */
  before?: MediaWorld
  /** Unlimited by default. */
  maxWait?: { firstByteMs?: number; timeoutMs?: number }
  limits?: Parameters<typeof createMediaProcess>[0]['limits']
  videos?: VideosFrom
  posts?: VideoPosts
  watching?: Watching
  /** The path of an MP4. */
  trailer?: string | undefined
  pins?: MediaAppOptions['pins']
  strangerBytes?: MediaAppOptions['strangerBytes']
  quotas?: MediaAppOptions['quotas']
  /** All servers' names lead to 127.0.0.1. */
  hasNames?: boolean
  /** Of all requests. */
  time?: CallTime
}

/** The state that tests change while the routes read it. */
type State = {
  known: Set<string>
  /** Those of them that no member follows. */
  strangers: Set<string>
  flags: number
  aheadMs: number
}

export async function startMediaWorld(options: MediaWorldOptions = {}): Promise<MediaWorld> {
  const { before, limits } = options
  const plc = before?.plc ?? (await startPlcDouble())
  const host = before?.host ?? (await startBlobHost())
  const did = before?.did ?? (await plc.create({ handle: 'alice.test', pds: host.url })).did
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'slipstream-media-'))
  const { log, warnings } = createLog()
  const process = createMediaProcess({ log, limits: { jobMs: NO_LIMIT_MS, ...limits } })
  const state: State = { known: new Set([did]), strangers: new Set(), flags: 0, aheadMs: 0 }
  const app = createApp(options, { plc, dataDir, state, process, log })
  const { url, asked: requested, close } = await listen(app, options.time)
  return {
    host,
    plc,
    url,
    did,
    dataDir,
    warnings,
    requested,
    process,
    image(preset, cid, { did: whose = did, ...init } = {}) {
      return globalThis.fetch(`${url}/img/${preset}/plain/${whose}/${cid}`, init)
    },
    async know(pds, who) {
      const other = await plc.create({ handle: `other${state.known.size}.test`, pds })
      state.known.add(other.did)
      if (who === 'stranger') state.strangers.add(other.did)
      return other.did
    },
    setHidden(isHidden) {
      state.flags = isHidden ? HIDDEN : 0
    },
    advance(milliseconds) {
      state.aheadMs += milliseconds
    },
    async close() {
      await close()
      process.close()
      if (before) return
      await host.close()
      await plc.close()
    },
  }
}

function createLog() {
  const warnings: unknown[] = []
  const store = (...line: unknown[]) => void warnings.push(line)
  return { warnings, log: { debug: () => undefined, warn: store, error: store } }
}

function createApp(
  options: MediaWorldOptions,
  {
    plc,
    state,
    ...parts
  }: Pick<MediaAppOptions, 'dataDir' | 'process' | 'log'> & { plc: PlcDouble; state: State },
) {
  const { maxWait, videos = { kind: 'own' }, trailer, posts = NO_POSTS } = options
  const here = { lookup: async () => ['127.0.0.1'] }
  const guarded = createGuardedFetch({ allowPrivateHosts: true, ...(options.hasNames && here) })
  const fetch = maxWait ? guarded : patient(guarded)
  return createMediaApp({
    ...parts,
    fetch,
    resolver: createResolver({ fetch, plcUrl: plc.url }),
    maxCacheBytes: options.maxCacheBytes ?? 50_000_000,
    maxWait: { previewMs: NO_LIMIT_MS, ...maxWait },
    hasImages: true,
    videos: videos.kind === 'own' ? videos : { ...videos, fetch: patient(videos.fetch) },
    pins: options.pins,
    posts,
    watching: options.watching,
    strangerBytes: options.strangerBytes,
    quotas: options.quotas,
    trailer: trailer === undefined ? undefined : checkTrailer(trailer),
    actors: {
      uidOf: (did) => [...state.known].indexOf(did) + 1,
      flagsOf: () => state.flags,
      memberFollowersOf: (uid) => (state.strangers.has([...state.known][uid - 1] ?? '') ? 0 : 1),
    },
    now: () => Date.now() + state.aheadMs,
  })
}

/** Listens on a free local port, and counts requests. */
async function listen(app: ReturnType<typeof createMediaApp>, time?: CallTime) {
  let requested = 0
  const visited: typeof app.fetch = (request, env) => {
    requested += 1
    const visitor = request.headers.get('x-visitor') ?? undefined
    return app.fetch(request, { ...(env as object), visitor, time })
  }
  const server = serve({ fetch: visited, port: 0, hostname: '127.0.0.1' })
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => requested,
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}

/** Removes timeouts: a busy machine answers late, which is no failure. */
function patient(fetch: GuardedFetch): GuardedFetch {
  const leastPace = { bytesPerSecond: 1, patienceMs: NO_LIMIT_MS }
  return (url, options) =>
    fetch(url, { ...options, firstByteMs: NO_LIMIT_MS, timeoutMs: NO_LIMIT_MS, leastPace })
}
