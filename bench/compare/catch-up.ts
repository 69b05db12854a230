// Compares how fast this tree and another catch up from a socket: both wires, plain and compressed, in both
// scopes. For each run a new process on its own folder connects to a Jetstream double, which then sends the
// same events at full speed. The trees take turns (A, B, B, A), since a machine's speed varies. The rate
// includes the double, which shares the two cores; the processor time is the product's alone.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../../test/support/eventually.ts'
import { createJetstreamDouble } from '../../test/support/jetstream-double/double.ts'
import type { Emission } from '../../test/support/jetstream-double/emission.ts'
import { createNetworkStream } from '../../test/support/network-stream.ts'
import { startPlcDouble } from '../../test/support/plc-double.ts'
import { makeReady, type WireForm } from '../world/ready-events.ts'
import { type RunningApp, receivedEvents } from '../world/running-app.ts'
import { inTurns, reportRatio } from './in-turns.ts'
import { readTrees } from './read-trees.ts'

type Scope = 'network' | 'community'
type Run = { perSecond: number; cpuUs: number }

const ACCOUNTS = 5_500_000
const COMMUNITY = { members: 100, followsEach: 100, listMean: 2, accounts: ACCOUNTS, events: 5_000 }
const FORMS: WireForm[] = [
  { wire: 'v2', compressed: true },
  { wire: 'v2', compressed: false },
  { wire: 'v1', compressed: true },
  { wire: 'v1', compressed: false },
]
const POLL_MS = 20

const USAGE =
  'node bench/compare/catch-up.ts OTHER_TREE [--rounds 4] [--events 200000] [--only community.v2]'
const { values, trees } = readTrees(USAGE, {
  rounds: { type: 'string', default: '4' },
  events: { type: 'string', default: '200000' },
  only: { type: 'string', default: '' },
})

const count = Number(values.events)
const plc = await startPlcDouble()
try {
  for (const scope of ['network', 'community'] as const) {
    for (const form of FORMS) {
      const name = `${scope}.${form.wire}.${form.compressed ? 'zstd' : 'plain'}`
      if (!name.startsWith(values.only)) continue
      const pairs = await inTurns(Number(values.rounds), (i) => catchUp(trees[i]!, scope, form))
      reportRatio(`${name}.events_per_s`, pairs, (run) => run.perSecond)
      reportRatio(`${name}.cpu_us_per_event`, pairs, (run) => run.cpuUs)
    }
  }
} finally {
  await plc.close()
}

async function catchUp(tree: string, scope: Scope, form: WireForm): Promise<Run> {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-bench-'))
  if (scope === 'community') {
    const { seedCommunity } = await import(join(tree, 'bench/world/community-world.ts'))
    seedCommunity(dataDir, COMMUNITY, Date.now())
  }
  const double = await createJetstreamDouble({ recordSent: false, retain: count })
  const { runApp } = await import(join(tree, 'bench/world/running-app.ts'))
  const app: RunningApp = await runApp({ dataDir, env: settings(double, scope, form) })
  try {
    await until(() => double.openConnections() > 0)
    const pour = makeReady(double, events(), form)
    const before = { atMs: performance.now(), cpu: app.cpu().total }
    pour()
    await until(async () => (await receivedEvents(app)) >= count, { pollMs: POLL_MS })
    const seconds = (performance.now() - before.atMs) / 1000
    return { perSecond: count / seconds, cpuUs: ((app.cpu().total - before.cpu) / count) * 1e6 }
  } finally {
    await app.stop()
    await double.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function settings(
  double: { url: string; v1DictionaryUrl: string },
  scope: Scope,
  { wire, compressed }: WireForm,
): Record<string, string> {
  return {
    INDEX_SCOPE: scope,
    JETSTREAM_HOSTS: double.url,
    JETSTREAM_WIRE: wire,
    JETSTREAM_COMPRESS: compressed ? 'on' : 'off',
    JETSTREAM_V1_DICTIONARY: double.v1DictionaryUrl,
    PLC_URL: plc.url,
    ALLOW_PRIVATE_HOSTS: 'on',
  }
}

/** The same each time, but for their times: none may lie before the server's connection. */
function* events(): Generator<Emission> {
  const stream = createNetworkStream({ seed: 7, accounts: ACCOUNTS, startMs: Date.now() })
  for (let i = 0; i < count; i++) yield { ...stream.next(), timeUs: Date.now() * 1000 } as Emission
}
