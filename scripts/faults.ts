// `npm run faults -- --seeds N`: three servers on a Cassandra cluster of three, behind a balancer. In each
// run they fail one after another, and the answers to readers, programs and members are checked against a
// model. Needs Java 17 and Maven.

import { parseArgs } from 'node:util'
import { connectEngine } from '../src/features/cluster/engine/connect.ts'
import { migrateEngine } from '../src/features/cluster/engine/schema.ts'
import { readArguments } from '../src/tools/script-usage.ts'
import {
  startCassandra,
  whyNoCassandra,
} from '../test/features/cluster/support/cassandra-cluster.ts'
import { startFaultyCluster } from '../test/features/cluster/support/cluster-faults/cluster.ts'
import {
  type FaultKind,
  faultKinds,
  usualKinds,
} from '../test/features/cluster/support/cluster-faults/kinds.ts'
import {
  type FaultReport,
  isBad,
  sumUp,
} from '../test/features/cluster/support/cluster-faults/report.ts'
import { runFaults } from '../test/features/cluster/support/cluster-faults/run.ts'
import { createRandom } from '../test/support/random.ts'
import { createSmallDisk } from '../test/support/torture/small-disk.ts'

const KINDS = Object.keys(faultKinds) as FaultKind[]
const USAGE = `npm run faults -- [options]
Kills, stops and cuts off servers that share an engine, and the engine's nodes, while readers, programs and members go on.

  --seeds N      number of runs (10)
  --first N      seed of the first run (1)
  --minutes N    start no new run after N minutes
  --faults A,B   faults of each run, in an order set by the seed (${usualKinds.join()}), or all:
                 ${KINDS.join(', ')}`
const PATIENCE_MS = 30_000

const { seeds, first, minutes, kinds } = readArguments(USAGE, readOptions)
const why = whyNoCassandra()
if (why) {
  console.error(`Not run: ${why}.`)
  process.exit(1)
}
// Unlike a signal's default action, an exit also ends the child processes.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

const endsAt = performance.now() + minutes * 60_000
const disk = createSmallDisk()
if (kinds.includes('engine-disk') && !disk.isBounded) {
  console.error('Skipping the full disk: none can be mounted here.')
}
const cassandra = await startCassandra(3, { diskOf: (n) => (n === 3 ? disk : undefined) })
const address = cassandra.address('slipstream_faults')
const settings = { engine: address, enginePasswordFile: undefined, engineCa: undefined }
const engine = await connectEngine(settings, PATIENCE_MS)
await migrateEngine(engine, { replication: 3, datacenter: 'datacenter1' })
const cluster = await startFaultyCluster(cassandra, engine, address)
const reports: FaultReport[] = []
for (let seed = first; seed < first + seeds && performance.now() < endsAt; seed++) {
  const report = await runFaults(cluster, { random: createRandom(seed), kinds })
  console.log(JSON.stringify({ seed, ...report }))
  reports.push(report)
  // One failure would be reported again by every later run.
  if (isBad(report)) break
}
console.log(sumUp(reports))
await cluster.close()
await engine.close()
await cassandra.stop()
disk.dispose()
process.exit(reports.some(isBad) ? 1 : 0)

function readOptions(args: string[]) {
  const string = { type: 'string' } as const
  const options = { seeds: string, first: string, minutes: string, faults: string }
  const { values } = parseArgs({ args, options })
  return {
    seeds: integer('seeds', values.seeds ?? '10'),
    first: integer('first', values.first ?? '1'),
    minutes: integer('minutes', values.minutes ?? '100000'),
    kinds: values.faults === undefined ? usualKinds : kindsOf(values.faults),
  }
}

function integer(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new Error(`--${name}: "${text}" is no whole number.`)
}

function kindsOf(text: string): FaultKind[] {
  if (text === 'all') return KINDS
  const kinds = text.split(',')
  const unknown = kinds.find((kind) => !KINDS.includes(kind as FaultKind))
  if (unknown === undefined) return kinds as FaultKind[]
  throw new Error(`"${unknown}" is no kind of fault: ${KINDS.join(', ')}.`)
}
