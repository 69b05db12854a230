// Compares the memory of an instance with nothing in it, a minute after its start: both trees at the same time, each
// on an empty folder beside the same idle stream. By then the threads have given back what only the start needed.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createJetstreamDouble } from '../../test/support/jetstream-double/double.ts'
import { startPlcDouble } from '../../test/support/plc-double.ts'
import { reportRatio } from './in-turns.ts'
import { readTrees } from './read-trees.ts'

type Resident = { rss: number; anonymous: number }

const USAGE = 'node bench/compare/resting-memory.ts OTHER_TREE [--rounds 3] [--seconds 60]'
const { values, trees } = readTrees(USAGE, {
  rounds: { type: 'string', default: '3' },
  seconds: { type: 'string', default: '60' },
})

const plc = await startPlcDouble()
const double = await createJetstreamDouble({ recordSent: false })
try {
  const pairs: Resident[][] = []
  for (let round = 0; round < Number(values.rounds); round++) {
    pairs.push(await Promise.all(trees.map(restingMemory)))
  }
  reportRatio('empty.rss_mb', pairs, ({ rss }) => rss)
  reportRatio('empty.anonymous_mb', pairs, ({ anonymous }) => anonymous)
} finally {
  await Promise.all([double.close(), plc.close()])
}

async function restingMemory(tree: string): Promise<Resident> {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-bench-'))
  const { runApp } = await import(join(tree, 'bench/world/running-app.ts'))
  const env = { JETSTREAM_HOSTS: double.url, PLC_URL: plc.url, ALLOW_PRIVATE_HOSTS: 'on' }
  const app = await runApp({ dataDir, env })
  try {
    await pause(Number(values.seconds) * 1_000)
    return residentOf(app.pid)
  } finally {
    await app.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function residentOf(pid: number): Resident {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const megabytes = (name: string) =>
    (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(rollup)?.[1]) * 1_024) / 1e6
  return { rss: megabytes('Rss'), anonymous: megabytes('Anonymous') }
}
