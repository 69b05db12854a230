// The media routes over real HTTP, in front of a PLC directory and a PDS that has blobs, all on ports of
// this machine.

import { mkdtempSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from '@hono/node-server'
import { HIDDEN } from '../../src/graph/types.ts'
import { createGuardedFetch } from '../../src/identity/guarded-fetch.ts'
import { createResolver } from '../../src/identity/resolver.ts'
import { createMediaApp } from '../../src/media/media-app.ts'
import { type BlobHost, startBlobHost } from './blob-host.ts'
import { type PlcDouble, startPlcDouble } from './plc-double.ts'

export type MediaWorld = {
  host: BlobHost
  plc: PlcDouble
  url: string
  /** Known here. */
  did: string
  dataDir: string
  image(preset: string, cid: string, init?: RequestInit & { did?: string }): Promise<Response>
  setHidden(isHidden: boolean): void
  /** Moves the clock of the routes. */
  advance(milliseconds: number): void
  warnings: unknown[]
  close(): Promise<void>
}

export async function startMediaWorld({
  maxCacheBytes = 50_000_000,
  dataDir = mkdtempSync(join(tmpdir(), 'slipstream-media-')),
  before,
  timeoutMs,
}: {
  maxCacheBytes?: number
  dataDir?: string
  /** Goes on with its directory, account and PDS. */
  before?: MediaWorld
  timeoutMs?: number
} = {}): Promise<MediaWorld> {
  const plc = before?.plc ?? (await startPlcDouble())
  const host = before?.host ?? (await startBlobHost())
  const did = before?.did ?? (await plc.create({ handle: 'alice.test', pds: host.url })).did
  const fetch = createGuardedFetch({ allowPrivateHosts: true })
  const warnings: unknown[] = []
  let flags = 0
  let ahead = 0
  const app = createMediaApp({
    fetch,
    resolver: createResolver({ fetch, plcUrl: plc.url }),
    dataDir,
    maxCacheBytes,
    timeoutMs,
    hasImages: true,
    hasVideos: true,
    actors: { uidOf: (one) => (one === did ? 7 : 0), flagsOf: () => flags },
    log: {
      debug: () => undefined,
      warn: (...line: unknown[]) => void warnings.push(line),
      error: (...line: unknown[]) => void warnings.push(line),
    },
    now: () => Date.now() + ahead,
  })
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' })
  await new Promise((resolve) => server.once('listening', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    host,
    plc,
    url,
    did,
    dataDir,
    warnings,
    image(preset, cid, { did: whose = did, ...init } = {}) {
      return globalThis.fetch(`${url}/img/${preset}/plain/${whose}/${cid}`, init)
    },
    setHidden(isHidden) {
      flags = isHidden ? HIDDEN : 0
    },
    advance(milliseconds) {
      ahead += milliseconds
    },
    async close() {
      await new Promise((resolve) => server.close(resolve))
      if (before) return
      await host.close()
      await plc.close()
    },
  }
}
