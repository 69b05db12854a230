// The loading part of snapshot.ts in a separate process: `node snapshot-load.ts DIR LABEL` prints its
// figures. Covers everything that a start loads: reading SQLite (the file is in the machine's cache),
// checksums, both directions, accounts with their hash table, the journal, and the check that both directions
// agree.

import { ImageError, loadFollowGraph } from '@slipstream/follow-graph'
import { loadActorTable } from '../src/data/graph/actor-table.ts'
import { openWriter } from '../src/data/store/db.ts'
import { countActors } from '../src/data/store/records/actors.ts'
import { loadActors, loadGraph } from '../src/ingest/indexing/memory/graph-snapshot.ts'
import type { BenchResult } from './runner/result.ts'

const [dataDir, label] = process.argv.slice(2) as [string, string]

const db = openWriter(dataDir)
const isUntrusted = (error: unknown) => error instanceof ImageError
const residentBefore = process.memoryUsage().rss
const startedAt = performance.now()
const cpuBefore = process.cpuUsage()
const actors = loadActors(db, loadActorTable, isUntrusted)
const actorsCpu = cpuSince()
const maxUid = countActors(db)
const loaded = loadGraph(db, (chunks) => loadFollowGraph(chunks, maxUid), isUntrusted)
const seconds = (performance.now() - startedAt) / 1000
const cpu = cpuSince()
if (!loaded || !actors) throw new Error('the snapshot was refused')
// The file's pages, mapped by SQLite, are not part of the graph.
db.close()
for (let i = 0; i < 3; i++) {
  globalThis.gc?.()
  await new Promise((resolve) => setTimeout(resolve, 100))
}
const resident = process.memoryUsage().rss - residentBefore
const { edgeCount } = loaded.graph
const { poolBytes, headBytes } = loaded.graph.usage()
const name = `snapshot.load_${label}`
const results: BenchResult[] = [
  { name: `${name}.s`, value: seconds, unit: 's' },
  { name: `${name}.cpu_s`, value: cpu, unit: 's' },
  { name: `${name}.actors_cpu_s`, value: actorsCpu, unit: 's' },
  { name: `${name}.accounts`, value: actors.count, unit: 'accounts' },
  { name: `${name}.edges`, value: edgeCount, unit: 'edges' },
  { name: `${name}.bytes_per_edge`, value: (poolBytes + headBytes) / edgeCount, unit: 'B' },
  { name: `${name}.rss_with_dids_per_edge`, value: resident / edgeCount, unit: 'B' },
  { name: `${name}.ns_per_edge`, value: (cpu * 1e9) / edgeCount, unit: 'ns' },
]
console.log(JSON.stringify(results))
process.exit(0)

function cpuSince(): number {
  const { user, system } = process.cpuUsage(cpuBefore)
  return (user + system) / 1e6
}
