// A follow graph of any size on disk, consisting only of accounts and snapshots, served by Slipstream in a
// separate process. Answers from memory need no other rows.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFollowGraph } from '@slipstream/follow-graph'
import { createActorTable } from '../../src/data/graph/actor-table.ts'
import { openWriter } from '../../src/data/store/db.ts'
import { saveGraph } from '../../src/ingest/indexing/memory/graph-snapshot.ts'
import { createJetstreamDouble } from '../../test/support/jetstream-double/double.ts'
import { startPlcDouble } from '../../test/support/plc-double.ts'
import { type PowerLaw, powerLawDid, powerLawLists } from '../support/power-law.ts'
import { type RunningApp, runApp } from './running-app.ts'

export type ServedGraph = {
  readonly app: RunningApp
  readonly dataDir: string
  readonly edges: number
  /** A sample of the follows as DIDs, evenly spaced by creator. */
  readonly known: readonly (readonly [creator: string, subject: string])[]
  close(): Promise<void>
}

const KNOWN_EDGES = 20_000

export async function serveGraph(network: PowerLaw): Promise<ServedGraph> {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-bench-graph-'))
  const made = writeGraph(dataDir, network)
  const plc = await startPlcDouble()
  const double = await createJetstreamDouble()
  const app = await runApp({
    dataDir,
    env: { PLC_URL: plc.url, JETSTREAM_HOSTS: double.url, ALLOW_PRIVATE_HOSTS: 'on' },
  })
  return {
    ...made,
    app,
    dataDir,
    async close() {
      await app.stop()
      await double.close()
      await plc.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

function writeGraph(dataDir: string, network: PowerLaw): Pick<ServedGraph, 'edges' | 'known'> {
  const db = openWriter(dataDir)
  db.pragma('synchronous = OFF')
  const graph = createFollowGraph()
  const actors = createActorTable()
  const insert = db.prepare('INSERT INTO actors (uid, did, indexed_at) VALUES (?, ?, 0)')
  db.transaction(() => {
    for (let uid = 1; uid <= network.accounts; uid++) {
      const did = powerLawDid(uid)
      actors.intern(did)
      insert.run(uid, did)
    }
  })()
  const known: [string, string][] = []
  graph.build(noted(powerLawLists(network), network.accounts, known), network.accounts)
  saveGraph(db, graph, actors)
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.close()
  return { edges: graph.edgeCount, known }
}

/** Passes the lists through and notes the middle follow of every nth. */
function* noted(
  lists: Iterable<[creator: number, subjects: Uint32Array]>,
  accounts: number,
  known: [string, string][],
): Generator<[creator: number, subjects: Uint32Array]> {
  const every = Math.ceil(accounts / KNOWN_EDGES)
  for (const [creator, subjects] of lists) {
    const subject = subjects[subjects.length >> 1]
    if (creator % every === 0 && subject !== undefined) {
      known.push([powerLawDid(creator), powerLawDid(subject)])
    }
    yield [creator, subjects]
  }
}
