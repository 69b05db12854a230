// The snapshots of a power-law network: how long a start takes to load them, and how long the steps take in
// which they are written while the graph changes and a serving thread answers. Loading is measured as a whole
// (snapshot-load.ts). Lateness is that of a thread that reads rows and known followers every two
// milliseconds, with writing and without.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { createFollowGraph } from '@slipstream/follow-graph'
import { createActorTable } from '../src/data/graph/actor-table.ts'
import { openWriter, type WriteDb } from '../src/data/store/db.ts'
import { insertGraphChange } from '../src/data/store/records/graph-changes.ts'
import { startCheckpoints } from '../src/ingest/upkeep/disk/checkpoints.ts'
import { saveSnapshots } from '../src/ingest/upkeep/memory/snapshots.ts'
import { createRandom } from '../test/support/random.ts'
import { writerOf } from '../test/support/writer-of.ts'
import type { BenchOptions, BenchResult } from './runner/result.ts'
import { powerLawDid, powerLawLists } from './support/power-law.ts'

type Network = { label: string; accounts: number; edges: number }
type World = {
  db: WriteDb
  dataDir: string
  graph: ReturnType<typeof createFollowGraph>
  actors: ReturnType<typeof createActorTable>
}

const CALM_MS = 2_000
const CHANGES_A_SECOND = 2_000
const TICK_MS = 5

export async function bench({ full, wants }: BenchOptions): Promise<BenchResult[]> {
  const results: BenchResult[] = []
  for (const network of networks(full)) {
    const names = [`snapshot.load_${network.label}`, `snapshot.save_${network.label}`]
    if (!names.some(wants)) continue
    results.push(...(await measureNetwork(network)))
    globalThis.gc?.()
  }
  return results
}

function networks(full: boolean): Network[] {
  const small = { label: '1m', accounts: 100_000, edges: 1_000_000 }
  if (!full) return [small]
  return [
    small,
    { label: '10m', accounts: 1_000_000, edges: 10_000_000 },
    { label: '160m', accounts: 5_500_000, edges: 160_000_000 },
  ]
}

async function measureNetwork(network: Network): Promise<BenchResult[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-bench-snapshot-'))
  const db = openWriter(dataDir)
  try {
    const saved = await measureSave(createWorld(db, dataDir, network), network)
    db.close()
    globalThis.gc?.()
    return [...saved, ...measureLoad(dataDir, network)]
  } finally {
    db.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function createWorld(db: WriteDb, dataDir: string, { accounts, edges }: Network): World {
  const graph = createFollowGraph()
  const actors = createActorTable()
  const insert = db.prepare('INSERT INTO actors (uid, did, indexed_at) VALUES (?, ?, 0)')
  db.transaction(() => {
    for (let uid = 1; uid <= accounts; uid++) {
      const did = powerLawDid(uid)
      actors.intern(did)
      insert.run(uid, did)
    }
  })()
  db.pragma('wal_checkpoint(TRUNCATE)')
  graph.build(powerLawLists({ accounts, edges, seed: 7 }), accounts)
  return { db, dataDir, graph, actors }
}

/** Writes the snapshot as the ingest thread does, while follows keep changing. */
async function measureSave(world: World, { label, accounts }: Network): Promise<BenchResult[]> {
  const reader = await startReader(world, accounts)
  const calm = await reader.lateness(CALM_MS)
  const changing = startChanging(world, accounts)
  const written = await writeSnapshot(world)
  const busy = await reader.lateness(0)
  changing.stop()
  await reader.stop()
  const ms = (name: string, value: number) => ({ name, value, unit: 'ms' })
  return [
    { name: `snapshot.save_${label}.s`, value: written.tookMs / 1000, unit: 's' },
    ms(`snapshot.save_${label}.longest_step_ms`, written.longestMs),
    ms(`snapshot.save_${label}.reader_late_max_ms`, busy.max),
    ms(`snapshot.save_${label}.reader_late_p99_ms`, busy.p99),
    ms(`snapshot.save_${label}.reader_late_max_before_ms`, calm.max),
    ms(`snapshot.save_${label}.reader_late_p99_before_ms`, calm.p99),
  ]
}

type Written = { tookMs: number; longestMs: number }

/** Like the ingest thread; the log is copied by a separate thread. */
async function writeSnapshot({ db, graph, actors }: World): Promise<Written> {
  const checkpoints = startCheckpoints({ db, log: console })
  try {
    return await new Promise((resolve, reject) => {
      const log = { info: (figures: Written) => resolve(figures), warn: reject }
      const snapshots = saveSnapshots({
        db,
        writer: writerOf(db),
        graph,
        actors,
        log: log as never,
      })
      snapshots.checkpointBy(() => checkpoints.tend())
      snapshots.startIfWorth(0)
    })
  } finally {
    await checkpoints.stop()
  }
}

/** Follows and unfollows, journalled like the indexer's. */
function startChanging({ db, graph }: World, accounts: number): { stop(): void } {
  const random = createRandom(11)
  const timer = setInterval(() => {
    db.transaction(() => {
      for (let i = 0; i < (CHANGES_A_SECOND * TICK_MS) / 1000; i++) {
        const [creator, subject] = [1 + random.below(accounts), 1 + random.below(accounts)]
        const added = random.chance(0.7)
        const changed = added ? graph.add(creator, subject) : graph.remove(creator, subject)
        if (changed) insertGraphChange(db, { creator, subject, added })
      }
    })()
  }, TICK_MS)
  return { stop: () => clearInterval(timer) }
}

const READER = `
  import { parentPort, workerData } from 'node:worker_threads'
  import { openFollowGraph } from ${JSON.stringify(import.meta.resolve('@slipstream/follow-graph'))}
  import { openReader } from ${JSON.stringify(new URL('../src/data/store/db.ts', import.meta.url).href)}
  const { handle, dataDir, accounts } = workerData
  const graph = openFollowGraph(handle)
  const row = openReader(dataDir).prepare('SELECT did FROM actors WHERE uid = ?')
  const out = new Uint32Array(51)
  const EVERY_MS = 2
  let late = []
  let due = performance.now() + EVERY_MS
  function tick() {
    for (let i = 0; i < 5; i++) {
      const [viewer, subject] = [1 + Math.floor(Math.random() * accounts), 1 + Math.floor(Math.random() * accounts)]
      graph.knownFollowers(viewer, subject, 0, out)
      row.get(viewer)
    }
    late.push(performance.now() - due)
    due = Math.max(due + EVERY_MS, performance.now())
    timer = setTimeout(tick, Math.max(0, due - performance.now()))
  }
  let timer = setTimeout(tick, EVERY_MS)
  parentPort.on('message', (message) => {
    if (message === 'stop') {
      clearTimeout(timer)
      parentPort.close()
      return
    }
    late.sort((a, b) => a - b)
    parentPort.postMessage({ max: late.at(-1) ?? 0, p99: late[Math.floor(late.length * 0.99)] ?? 0 })
    late = []
  })
  parentPort.postMessage('ready')
`

/** A serving thread; `lateness` returns how late it was since the last call. */
async function startReader({ graph, dataDir }: World, accounts: number) {
  const workerData = { handle: graph.handle, dataDir, accounts }
  const worker = new Worker(READER, { eval: true, workerData })
  const next = () =>
    new Promise<{ max: number; p99: number }>((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
    })
  await next()
  return {
    async lateness(afterMs: number) {
      await new Promise((resolve) => setTimeout(resolve, afterMs))
      const notified = next()
      worker.postMessage('told')
      return notified
    },
    async stop() {
      worker.postMessage('stop')
      await new Promise((resolve) => worker.once('exit', resolve))
    },
  }
}

/**
 * Runs in a separate process, so that its memory holds nothing of the world that wrote the
 * snapshot.
 */
function measureLoad(dataDir: string, { label }: Network): BenchResult[] {
  const script = join(import.meta.dirname, 'snapshot-load.ts')
  const printed = execFileSync(process.execPath, ['--expose-gc', script, dataDir, label])
  return JSON.parse(printed.toString()) as BenchResult[]
}
