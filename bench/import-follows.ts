// Lines per second of `slipstream import-follows`, compared in one run: into a running server that reads an
// idle stream, and directly into the database with the server stopped. Both import the same lists of keyed
// follows into an empty index: one list in account order, as adjacency lists mostly are, and one in random
// order. Followed accounts are drawn by the network's popularity. Run alone: npm run bench -- import-follows

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ImportReport } from '../src/ingest/indexing/import-tally.ts'
import { cliJson } from '../test/support/cli.ts'
import { createJetstreamDouble } from '../test/support/jetstream-double/double.ts'
import { createRandom, type Random } from '../test/support/random.ts'
import { tidAt } from '../test/support/records.ts'
import { powerLawDid, powerLawLists } from './power-law.ts'
import type { BenchOptions, BenchResult } from './result.ts'
import { runApp } from './world/running-app.ts'

const FOLLOWS_EACH = 50
const KEYS_FROM = 1.7e15
const KEYS_LAST_SECONDS = 30_000_000

type List = { name: string; path: string; lines: number }

export async function bench({ full, wants }: BenchOptions): Promise<BenchResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-bench-import-'))
  try {
    const results: BenchResult[] = []
    for (const list of writeLists(folder, full ? 2_000_000 : 100_000)) {
      if (wants(`import.${list.name}`)) results.push(...(await compare(folder, list)))
    }
    return results
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function compare(folder: string, list: List): Promise<BenchResult[]> {
  const online = await importOnline(join(folder, `${list.name}-online`), list)
  const offline = await importInto(join(folder, `${list.name}-offline`), list)
  const name = `import.${list.name}`
  return [
    { name: `${name}.online.lines_per_s`, value: online, unit: 'lines/s' },
    { name: `${name}.offline.lines_per_s`, value: offline, unit: 'lines/s' },
    { name: `${name}.offline_to_online.ratio`, value: offline / online, unit: 'times' },
  ]
}

async function importOnline(dataDir: string, list: List): Promise<number> {
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
async function importInto(dataDir: string, { path, lines }: List): Promise<number> {
  const env = { DATA_DIR: dataDir, INDEX_SCOPE: 'network' }
  type Report = ImportReport & { seconds: number }
  const { tally, seconds } = await cliJson<Report>(env, ['import-follows', path])
  if (tally.added !== lines) throw new Error(`${tally.added} of ${lines} lines were added`)
  return lines / seconds
}

function writeLists(folder: string, edges: number): List[] {
  const random = createRandom(17)
  const lines: string[] = []
  const accounts = Math.round(edges / FOLLOWS_EACH)
  for (const [creator, subjects] of powerLawLists({ accounts, edges, seed: 17 })) {
    for (const subject of subjects) {
      const rkey = tidAt(KEYS_FROM + random.below(KEYS_LAST_SECONDS) * 1e6 + (lines.length % 1e6))
      lines.push(`${powerLawDid(creator)},${powerLawDid(subject)},${rkey}`)
    }
  }
  const ordered = write(folder, 'ordered', lines)
  shuffle(lines, random)
  return [ordered, write(folder, 'unordered', lines)]
}

function write(folder: string, name: string, lines: readonly string[]): List {
  const path = join(folder, `${name}.csv`)
  writeFileSync(path, lines.join('\n'))
  return { name, path, lines: lines.length }
}

function shuffle(lines: string[], random: Random): void {
  for (let i = lines.length - 1; i > 0; i--) {
    const j = random.below(i + 1)
    const line = lines[i]!
    lines[i] = lines[j]!
    lines[j] = line
  }
}
