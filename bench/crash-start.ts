// A start after a crash. A community's folder (with --full, 1,000 members and ten million follows), being
// served and read, is killed in mid-stream and started again. Measures the time from process start to the
// first correct timeline: the page from before the kill must reappear, in order, below any newer items. Then
// measures how long it takes to catch up with the events that the stream sent meanwhile.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../test/support/eventually.ts'
import {
  createJetstreamDouble,
  type JetstreamDouble,
} from '../test/support/jetstream-double/double.ts'
import type { Emission } from '../test/support/jetstream-double/emission.ts'
import { createNetworkStream } from '../test/support/network-stream.ts'
import { startPlcDouble } from '../test/support/plc-double.ts'
import { createViewerKey, signServiceToken } from './load/service-tokens.ts'
import type { BenchOptions, BenchResult } from './runner/result.ts'
import { type CommunitySize, seedCommunity } from './world/community-world.ts'
import { type RunningApp, runApp } from './world/running-app.ts'
import { SERVICE_DID } from './world/serving-world.ts'
import { putDocuments } from './world/viewers-documents.ts'

const TIMELINE = 'app.bsky.feed.getTimeline'
const RATE = 600
const TICK_MS = 10
const LIVE_MS = 8_000
const AWAY_MS = 2_000
const PATIENT = { withinMs: 120_000, pollMs: 20 }
const NEAR_LIVE_MS = 2_000

const small: CommunitySize = {
  members: 50,
  followsEach: 100,
  listMean: 20,
  accounts: 500_000,
  events: 20_000,
}
const large: CommunitySize = {
  members: 1_000,
  followsEach: 300,
  listMean: 54,
  accounts: 5_500_000,
  events: 200_000,
}

export async function bench({ full }: BenchOptions): Promise<BenchResult[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-bench-'))
  const size = full ? large : small
  const world = seedCommunity(dataDir, size, Date.now())
  const stream = createNetworkStream({ seed: 8, accounts: size.accounts, startMs: Date.now() })
  const plc = await startPlcDouble()
  const double = await createJetstreamDouble({ recordSent: false })
  const key = createViewerKey(world.members[0]!)
  putDocuments(plc, world.members, () => key)
  const env = {
    PLC_URL: plc.url,
    JETSTREAM_HOSTS: double.url,
    SERVICE_DID,
    ALLOW_PRIVATE_HOSTS: 'on',
    LABELERS: ',',
    TRUSTED_VERIFIERS: ',',
  }
  const token = (did: string) =>
    signServiceToken({ ...key, did }, { aud: SERVICE_DID, lxm: TIMELINE })
  const live = emitSteadily(double, () => stream.next() as Emission)
  try {
    const first = await runApp({ dataDir, env })
    for (const did of world.members) await readTimeline(first, token(did))
    await sleep(LIVE_MS)
    const before = await readTimeline(first, token(world.members[0]!))
    await first.kill()
    await sleep(AWAY_MS)
    const startedAt = performance.now()
    const second = await runApp({ dataDir, env })
    const servingMs = performance.now() - startedAt
    const isBack = async () =>
      standsAgain(before, await readTimeline(second, token(world.members[0]!)))
    await until(isBack, PATIENT)
    const rightMs = performance.now() - startedAt
    const isLive = async () =>
      ((await second.health()).ingest?.stream.lagMs ?? Infinity) < NEAR_LIVE_MS
    await until(isLive, PATIENT)
    const liveMs = performance.now() - startedAt
    await second.stop()
    return [
      seconds('crashStart.serving_s', servingMs),
      seconds('crashStart.first_timeline_s', rightMs),
      seconds('crashStart.caught_up_s', liveMs),
      { name: 'crashStart.edges', value: world.edges, unit: 'follows' },
      { name: 'crashStart.members', value: world.members.length, unit: 'accounts' },
      { name: 'crashStart.items_on_the_page', value: before.length, unit: 'items' },
    ]
  } finally {
    live.stop()
    await Promise.all([double.close(), plc.close()])
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function emitSteadily(double: JetstreamDouble, next: () => Emission): { stop(): void } {
  const startedAt = performance.now()
  let emitted = 0
  const timer = setInterval(() => {
    const due = ((performance.now() - startedAt) / 1000) * RATE
    for (; emitted < due; emitted++) double.emit({ ...next(), timeUs: Date.now() * 1000 })
  }, TICK_MS)
  return { stop: () => clearInterval(timer) }
}

/** URIs of posts, and of reposts by their own URI. */
async function readTimeline(app: RunningApp, token: string): Promise<string[]> {
  const url = `http://127.0.0.1:${app.port}/xrpc/${TIMELINE}?limit=50`
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  const { feed } = (await response.json()) as {
    feed: { post: { uri: string }; reason?: { uri?: string } }[]
  }
  return feed.map(({ post, reason }) => reason?.uri ?? post.uri)
}

/** The earlier page reappears below any new items. */
function standsAgain(before: readonly string[], after: readonly string[]): boolean {
  const known = new Set(before)
  const filtered = after.filter((uri) => known.has(uri))
  const newer = after.length - filtered.length
  return (
    after.length > 0 &&
    filtered.every((uri, i) => uri === before[i]) &&
    filtered.length >= Math.min(before.length, after.length - newer)
  )
}

function seconds(name: string, ms: number): BenchResult {
  return { name, value: ms / 1000, unit: 's' }
}
