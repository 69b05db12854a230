// A community under the live stream: seeded on disk, with its own directory and Jetstream double, and
// Slipstream serving it in a separate process.

import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StreamCursor } from '@slipstream/jetstream'
import { openWriter } from '../../src/data/store/db.ts'
import { putStreamCursor } from '../../src/data/store/stream/stream-cursors.ts'
import {
  createJetstreamDouble,
  type JetstreamDouble,
} from '../../test/support/jetstream-double/double.ts'
import type { Emission } from '../../test/support/jetstream-double/emission.ts'
import { createNetworkStream } from '../../test/support/network-stream.ts'
import { startPlcDouble } from '../../test/support/plc-double.ts'
import { createViewerKey, signServiceToken } from '../load/service-tokens.ts'
import { type CommunitySize, type CommunityWorld, seedCommunity } from './community-world.ts'
import { type RunningApp, runApp } from './running-app.ts'
import { SERVICE_DID } from './serving-world.ts'
import { putDocuments } from './viewers-documents.ts'

const TIMELINE = 'app.bsky.feed.getTimeline'
/** Short, so that events arrive one by one, as from the network, and not many in one read of the socket. */
const TICK_MS = 1

export type LiveCommunity = {
  dataDir: string
  world: CommunityWorld
  app: RunningApp
  double: JetstreamDouble
  /** The network's next event, dated now. */
  next(): Emission
  /** A member's token for a method. */
  token(did: string, lxm: string): string
  /**
   * Reads as one of the members.
   * @throws Error for any answer but a page
   */
  readTimeline(did: string): Promise<void>
  /** The database and its log. */
  fileBytes(): number
  stop(): Promise<void>
}

/**
 * @param size - `retain`: how many events the double keeps; `startMs`: when the instance was last at
 * the stream's end, now by default; `env`: further settings, without their prefix
 */
export async function startLiveCommunity(
  size: CommunitySize & { retain: number; startMs?: number; env?: Record<string, string> },
): Promise<LiveCommunity> {
  const { startMs = Date.now() } = size
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-bench-'))
  const world = seedCommunity(dataDir, { ...size, isSearchable: true }, startMs)
  const stream = createNetworkStream({ seed: 8, accounts: size.accounts, startMs })
  const plc = await startPlcDouble()
  const double = await createJetstreamDouble({ recordSent: false, retain: size.retain })
  saveCursor(dataDir, { host: double.url, wire: 'v2', seq: undefined, timeUs: startMs * 1_000 })
  const key = createViewerKey(world.members[0]!)
  putDocuments(plc, world.members, () => key)
  const app = await runApp({
    dataDir,
    env: {
      PLC_URL: plc.url,
      JETSTREAM_HOSTS: double.url,
      SERVICE_DID,
      ALLOW_PRIVATE_HOSTS: 'on',
      ...size.env,
    },
  })
  const token = (did: string, lxm: string) =>
    signServiceToken({ ...key, did }, { aud: SERVICE_DID, lxm })
  return {
    dataDir,
    world,
    token,
    app,
    double,
    next: () => ({ ...stream.next(), timeUs: Date.now() * 1000 }) as Emission,
    readTimeline: async (did) => {
      const url = `http://127.0.0.1:${app.port}/xrpc/${TIMELINE}?limit=50`
      const response = await fetch(url, {
        headers: { authorization: `Bearer ${token(did, TIMELINE)}` },
      })
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
      await response.arrayBuffer()
    },
    fileBytes: () => sizeOf(dataDir, '') + sizeOf(dataDir, '-wal'),
    stop: async () => {
      await app.stop()
      await Promise.all([double.close(), plc.close()])
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

function saveCursor(dataDir: string, cursor: StreamCursor): void {
  const db = openWriter(dataDir)
  putStreamCursor(db, cursor, Date.now())
  db.close()
}

/** Calls a function at a fixed rate per second, regardless of timer delays. */
export async function atRate(
  { perSecond, seconds }: { perSecond: number; seconds: number },
  act: () => void,
): Promise<void> {
  const startedAt = performance.now()
  let done = 0
  for (let elapsed = 0; elapsed < seconds; ) {
    elapsed = Math.min(seconds, (performance.now() - startedAt) / 1000)
    for (; done < elapsed * perSecond; done++) act()
    await new Promise((resolve) => setTimeout(resolve, TICK_MS))
  }
}

function sizeOf(dataDir: string, end: string): number {
  const path = join(dataDir, `slipstream.sqlite${end}`)
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
