// Faults of the data on disk: no space left, a torn memory snapshot, and caches full of garbage.

import { randomFillSync } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { until } from '../eventually.ts'
import { snapshotFiles } from '../snapshot-files.ts'
import { type Fault, pick } from './fault.ts'
import { leaveMark } from './mark.ts'
import { sleep } from './sleep.ts'
import type { Subject } from './subject.ts'

/** From sysexits.h: the exit code when a full disk stops the process. */
const EXIT_IO = 74
const FULL_MS = 1_500
const SPACE_TIMEOUT_MS = 90_000
const DATABASE = 'slipstream.sqlite'

export const diskFaults = {
  /** Requests by strangers may be refused while the process notices the lack of space. */
  'full-disk': async ({ world, subject }, { forMs, dice }) => {
    world.restrict(true)
    await until(leaveMark(world, subject), {
      what: 'all before was applied',
      withinMs: SPACE_TIMEOUT_MS,
    })
    await subject.excusing([EXIT_IO], async () => {
      subject.disk.fill()
      await sleep(FULL_MS + forMs)
      if (dice > 0.7 && subject.isAlive()) await subject.stop('SIGKILL')
      if (dice > 0.4 && !subject.isAlive()) await startInVain(subject, forMs)
      subject.disk.free()
      await sleep(forMs)
      if (!subject.isAlive()) await subject.start()
    })
    await until(() => hasCapacity(subject), {
      what: 'there is room again',
      withinMs: SPACE_TIMEOUT_MS,
    })
    world.restrict(false)
  },
  'torn-snapshot': async ({ subject }, { forMs, dice }) => {
    await subject.stop(dice > 0.3 ? 'SIGTERM' : 'SIGKILL')
    tearSnapshot(subject.dataDir, dice)
    await sleep(forMs)
    await subject.start()
  },
  'corrupt-cache': async ({ subject }, { forMs, dice }) => {
    await subject.stop(dice > 0.5 ? 'SIGTERM' : 'SIGKILL')
    for (const path of cacheFiles(subject.dataDir)) corrupt(path, dice)
    await sleep(forMs)
    await subject.start()
  },
} satisfies Record<string, Fault>

type Health = { ingest?: { disk?: { state: string } } }

async function hasCapacity(subject: Subject): Promise<boolean> {
  const { ingest } = (await subject.health().catch(() => ({}))) as Health
  return ingest?.disk?.state === 'ok'
}

/** With a full disk it may start or report why not, but must not hang or fail in another way. */
async function startInVain(subject: Subject, forMs: number): Promise<void> {
  subject.launch()
  await sleep(1_000 + 2 * forMs)
}

/** Damages the file of one of the snapshots, or the header that names it. */
function tearSnapshot(dataDir: string, dice: number): void {
  const files = snapshotFiles(dataDir)
  const file = files[Math.floor(((dice * 7) % 1) * files.length)]
  if (file === undefined) return
  const torn = pick(['corrupt', 'drop', 'header'] as const, (dice * 31) % 1)
  if (torn === 'corrupt') corrupt(file, (dice * 13) % 1)
  if (torn === 'drop') rmSync(file)
  if (torn === 'header') cutHeaders(join(dataDir, DATABASE))
}

function cutHeaders(path: string): void {
  const db = new Database(path)
  try {
    db.exec('UPDATE snapshots SET header = substr(header, 1, length(header) / 2)')
  } finally {
    db.close()
  }
}

/** Everything in the folder except the database. */
function cacheFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith(DATABASE))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

function corrupt(path: string, dice: number): void {
  const { size } = statSync(path)
  if (dice < 0.3) return truncateSync(path, size >> 1)
  const bytes = readFileSync(path)
  const half = bytes.length >> 1
  if (dice < 0.65) randomFillSync(bytes, half)
  else if (bytes.length > 0) bytes.writeUInt8(bytes.readUInt8(half) ^ 0xff, half)
  writeFileSync(path, bytes)
}
