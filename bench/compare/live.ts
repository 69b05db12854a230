// Compares what this tree and another spend on the live stream: both follow the same Jetstream double at the
// same time, each on its own folder, seeded with the same community. Events come one by one, at the network's
// rate. A round counts once both have nothing left to do for what was seeded.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../../test/support/eventually.ts'
import { createJetstreamDouble } from '../../test/support/jetstream-double/double.ts'
import type { Emission } from '../../test/support/jetstream-double/emission.ts'
import { createNetworkStream } from '../../test/support/network-stream.ts'
import { startPlcDouble } from '../../test/support/plc-double.ts'
import { atRate } from '../world/live-community.ts'
import type { RunningApp } from '../world/running-app.ts'
import { reportRatio } from './in-turns.ts'
import { readTrees } from './read-trees.ts'

const ACCOUNTS = 5_500_000
const COMMUNITY = {
  members: 100,
  followsEach: 1_000,
  listMean: 1,
  accounts: ACCOUNTS,
  events: 2_000,
}
const RATE = 600
const WARM_UP_SECONDS = 20
/** Share of a core, from one look to the next. */
const IDLE_BELOW = 0.05
const SETTLE = { withinMs: 300_000, pollMs: 1_000 }

const USAGE = 'node bench/compare/live.ts OTHER_TREE [--rounds 4] [--seconds 20]'
const { values, trees } = readTrees(USAGE, {
  rounds: { type: 'string', default: '4' },
  seconds: { type: 'string', default: '20' },
})

const plc = await startPlcDouble()
const double = await createJetstreamDouble({ recordSent: false, retain: 50_000 })
const stream = createNetworkStream({ seed: 8, accounts: ACCOUNTS, startMs: Date.now() })
const servers = [await start(trees[0]), await start(trees[1])]
try {
  await emit(WARM_UP_SECONDS)
  for (const { app } of servers) await until(idle(app), SETTLE)
  const pairs: number[][] = []
  for (let round = 0; round < Number(values.rounds); round++) {
    const before = { atMs: performance.now(), cpu: servers.map(({ app }) => app.cpu().total) }
    await emit(Number(values.seconds))
    const seconds = (performance.now() - before.atMs) / 1000
    pairs.push(servers.map(({ app }, i) => ((app.cpu().total - before.cpu[i]!) / seconds) * 100))
  }
  reportRatio('cpu.at_600_per_s.percent', pairs, (percent) => percent)
  reportRatio('rss_mb', [servers.map(({ app }) => app.resident().total)], (mb) => mb)
} finally {
  for (const { app, dataDir } of servers) {
    await app.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
  await Promise.all([double.close(), plc.close()])
}

async function start(tree: string): Promise<{ app: RunningApp; dataDir: string }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-bench-'))
  const { seedCommunity } = await import(join(tree, 'bench/world/community-world.ts'))
  seedCommunity(dataDir, COMMUNITY, Date.now())
  const { runApp } = await import(join(tree, 'bench/world/running-app.ts'))
  const env = { JETSTREAM_HOSTS: double.url, PLC_URL: plc.url, ALLOW_PRIVATE_HOSTS: 'on' }
  return { app: await runApp({ dataDir, env }), dataDir }
}

function emit(seconds: number): Promise<void> {
  return atRate({ perSecond: RATE, seconds }, () => {
    double.emit({ ...stream.next(), timeUs: Date.now() * 1000 } as Emission)
  })
}

function idle(app: RunningApp): () => boolean {
  let last = { atMs: performance.now(), cpu: app.cpu().total }
  return () => {
    const now = { atMs: performance.now(), cpu: app.cpu().total }
    const seconds = (now.atMs - last.atMs) / 1000
    if (seconds < SETTLE.pollMs / 1000) return false
    const share = (now.cpu - last.cpu) / seconds
    last = now
    return share < IDLE_BELOW
  }
}
