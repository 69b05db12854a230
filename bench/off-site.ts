// An off-site backup and its restore, as an operator runs them: each a process of its own, whose peak of resident memory
// and processor time the kernel tells. The store is a real one where it has been built (test/features/off-site/real-s3.ts);
// else the figures come from the tests' double in this process, and are not saved. With --full the database has more
// than a gigabyte.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openReader, openWriter } from '../src/data/store/db.ts'
import { newIdentity } from '../src/features/off-site/sealing/keys.ts'
import { SECRET_KEY, startRealS3, whyNoRealS3 } from '../test/features/off-site/real-s3.ts'
import { ACCESS_KEY, BUCKET, startS3Double } from '../test/features/off-site/s3-double.ts'
import type { BenchOptions, BenchResult } from './runner/result.ts'
import { createNetworkStream } from './world/network-stream.ts'
import { readCpu } from './world/process-cpu.ts'
import { openSeeder } from './world/seeding.ts'

const SIZES = {
  small: { events: 60_000, accounts: 5_000, megabytes: 30 },
  full: { events: 500_000, accounts: 30_000, megabytes: 1_100 },
}
const SPAN_US = 60 * 86_400 * 1e6
const MIB = 2 ** 20
const LOOK_MS = 50
const COMMAND = join(import.meta.dirname, '../src/tools/cli/main.ts')
const URL = `s3://${BUCKET}/bench`

type Run = { seconds: number; cpuSeconds: number; peakMegabytes: number }

export async function bench({ full }: Pick<BenchOptions, 'full'>): Promise<BenchResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-off-site-'))
  const doubt = whyNoRealS3()
  const store = await (doubt ? startS3Double() : startRealS3())
  try {
    const dataDir = join(folder, 'data')
    fill(dataDir, full ? SIZES.full : SIZES.small)
    const env = { ...settingsFor(store.endpoint), SLIPSTREAM_OFF_SITE_KEY: await newIdentity() }
    const sent = await run(['backup', '--to', URL], { ...env, SLIPSTREAM_DATA_DIR: dataDir })
    const again = await run(['backup', '--to', URL], { ...env, SLIPSTREAM_DATA_DIR: dataDir })
    const bare = join(folder, 'bare')
    const back = await run(['restore', '--from', URL], { ...env, SLIPSTREAM_DATA_DIR: bare })
    const [size, restored] = [dataDir, bare].map(sizeOf) as [number, number]
    if (sumOf(dataDir) !== sumOf(bare)) throw new Error('other rows came back')
    const figures = [
      { name: 'off-site.database_mb', value: size / MIB, unit: 'MB' },
      { name: 'off-site.restored_mb', value: restored / MIB, unit: 'MB' },
      ...figuresOf('backup', sent),
      ...figuresOf('backup_again', again),
      ...figuresOf('restore', back),
    ]
    return figures.map((figure) => ({ ...figure, doubt }))
  } finally {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Rows of the network, and copies of its posts until the file is as large: each row differs, so no chunk is there twice. */
function fill(dataDir: string, { events, accounts, megabytes }: (typeof SIZES)['full']): void {
  const seeder = openSeeder(dataDir, 'network')
  seeder.apply(createNetworkStream(accounts, SPAN_US / events).events(events))
  seeder.finish()
  const db = openWriter(dataDir)
  db.pragma('synchronous = OFF')
  for (let copy = 0; sizeOf(dataDir) < megabytes * MIB; copy++) {
    db.exec(`CREATE TABLE bench_posts_${copy} AS SELECT random() AS salt, * FROM posts`)
    db.pragma('wal_checkpoint(TRUNCATE)')
  }
  db.close()
}

function settingsFor(endpoint: string): Record<string, string> {
  return {
    SLIPSTREAM_OFF_SITE_ENDPOINT: endpoint,
    SLIPSTREAM_OFF_SITE_ACCESS_KEY: ACCESS_KEY,
    SLIPSTREAM_OFF_SITE_SECRET_KEY: SECRET_KEY,
  }
}

function sizeOf(dataDir: string): number {
  return statSync(join(dataDir, 'slipstream.sqlite')).size
}

/** Over the salts of all copies, as text: they are large. */
function sumOf(dataDir: string): string {
  const db = openReader(dataDir)
  const names = db
    .prepare<[], string>("SELECT name FROM sqlite_master WHERE name GLOB 'bench_*' ORDER BY name")
    .pluck()
    .all()
  const sums = names.map((name) =>
    db.prepare<[], number>(`SELECT total(salt / 1024) FROM ${name}`).pluck().get(),
  )
  db.close()
  return `${names.length}: ${sums.join(' ')}`
}

function figuresOf(kind: string, { seconds, cpuSeconds, peakMegabytes }: Run): BenchResult[] {
  return [
    { name: `off-site.${kind}.seconds`, value: seconds, unit: 's' },
    { name: `off-site.${kind}.cpu_seconds`, value: cpuSeconds, unit: 's' },
    { name: `off-site.${kind}.peak_mb`, value: peakMegabytes, unit: 'MB' },
  ]
}

/** @throws Error with what it said, unless it succeeds */
async function run(args: string[], env: Record<string, string>): Promise<Run> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [COMMAND, ...args], {
    cwd: tmpdir(),
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let message = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (piece: Buffer) => {
      message += piece.toString()
    })
  }
  const used = { cpuSeconds: 0, peakMegabytes: 0 }
  const watching = setInterval(() => watch(child, used), LOOK_MS)
  const [code] = await once(child, 'close')
  clearInterval(watching)
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}:\n${message}`)
  return { seconds: (performance.now() - startedAt) / 1000, ...used }
}

/** What it has used so far; the last look is a moment before its end. */
function watch({ pid, exitCode }: ChildProcess, used: Omit<Run, 'seconds'>): void {
  if (pid === undefined || exitCode !== null) return
  try {
    const [, peak = '0'] =
      /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    used.peakMegabytes = Math.max(used.peakMegabytes, Number(peak) / 1024)
    used.cpuSeconds = Math.max(used.cpuSeconds, readCpu(pid).total)
  } catch {
    // It has just ended.
  }
}
