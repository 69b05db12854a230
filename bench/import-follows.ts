// Lines per second of `slipstream import-follows`, compared in one run: into a running server that reads an
// idle stream, and directly into the database with the server stopped. Both import the same lists of keyed
// follows into an empty index: one list in account order, as adjacency lists mostly are, and one in random
// order. Followed accounts are drawn by the network's popularity. Run alone: npm run bench -- import-follows

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ImportReport } from '../src/ingest/indexing/imports/import-tally.ts'
import { cliJson } from '../test/support/cli.ts'
import { createJetstreamDouble } from '../test/support/jetstream-double/double.ts'
import type { BenchOptions, BenchResult } from './runner/result.ts'
import { type FollowList, writeFollowLists } from './world/follow-lists.ts'
import { runApp } from './world/running-app.ts'

export async function bench({ full, wants }: BenchOptions): Promise<BenchResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-bench-import-'))
  try {
    const results: BenchResult[] = []
    for (const list of writeFollowLists(folder, full ? 2_000_000 : 100_000)) {
      if (wants(`import.${list.name}`)) results.push(...(await compare(folder, list)))
    }
    return results
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function compare(folder: string, list: FollowList): Promise<BenchResult[]> {
  const online = await importOnline(join(folder, `${list.name}-online`), list)
  const offline = await importInto(join(folder, `${list.name}-offline`), list)
  const name = `import.${list.name}`
  return [
    { name: `${name}.online.lines_per_s`, value: online, unit: 'lines/s' },
    { name: `${name}.offline.lines_per_s`, value: offline, unit: 'lines/s' },
    { name: `${name}.offline_to_online.ratio`, value: offline / online, unit: 'times' },
  ]
}

async function importOnline(dataDir: string, list: FollowList): Promise<number> {
  mkdirSync(dataDir)
  const stream = await createJetstreamDouble()
  const env = { JETSTREAM_HOSTS: stream.url, INDEX_SCOPE: 'network' }
  const app = await runApp({ dataDir, env })
  try {
    return await importInto(dataDir, list)
  } finally {
    await app.stop()
    await stream.close()
  }
}

/** @returns lines per second, not counting the start of the command */
async function importInto(dataDir: string, { path, lines }: FollowList): Promise<number> {
  const env = { DATA_DIR: dataDir, INDEX_SCOPE: 'network' }
  type Report = ImportReport & { seconds: number }
  const { tally, seconds } = await cliJson<Report>(env, ['import-follows', path])
  if (tally.added !== lines) throw new Error(`${tally.added} of ${lines} lines were added`)
  return lines / seconds
}
