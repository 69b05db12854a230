// A trial: the newest state is restored into a folder beside the database, as on a bare machine, and examined.

import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../../../base/config/config.ts'
import { checkDatabase } from '../../../data/store/files/backup.ts'
import { freeBytes } from '../../../data/store/files/free-bytes.ts'
import type { Objects } from '../copying/objects.ts'
import { FOLDER, type OffSiteStatus } from '../status.ts'
import { type Point, pointsOf } from './points.ts'
import { UnfitPointError, writeDatabase } from './write-database.ts'

type Trial = {
  trial: NonNullable<OffSiteStatus['trial']>
  /** Hashes of chunks that the store lost or damaged. */
  unfitChunks: string[]
}

/** Left for the server while the trial’s copy is there. */
const SPARE_BYTES = 512e6

/** @throws BucketError if the store can’t be read now, ConfigError if the disk has no room for a copy */
export async function tryRestore(parts: {
  dataDir: string
  objects: Objects
  now: () => number
}): Promise<Trial> {
  const { dataDir, objects, now } = parts
  const began = now()
  const folder = join(dataDir, FOLDER, 'trial')
  const outcome = (ok: boolean, text: string, unfitChunks: string[] = []): Trial => ({
    trial: { at: began, ok, text, tookMs: now() - began },
    unfitChunks,
  })
  let unfit = 'the store has no whole copy'
  const onUnfit = (why: string) => {
    unfit = why
  }
  const { value: point } = await pointsOf(objects, { onUnfit }).next()
  if (!point) return outcome(false, unfit)
  refuseWithoutSpace(dataDir, point)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  try {
    const path = join(folder, 'slipstream.sqlite')
    const { at, note } = await writeDatabase(objects, point, path)
    checkDatabase(path, 'quick', 'the restored database')
    const text = `the state of ${new Date(at).toISOString()}`
    return outcome(note === undefined, note ?? text)
  } catch (error) {
    if (error instanceof UnfitPointError) return outcome(false, error.message, error.chunks)
    if (error instanceof ConfigError && error.message.includes('the restored database')) {
      return outcome(false, error.message)
    }
    throw error
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function refuseWithoutSpace(dataDir: string, { base }: Point): void {
  const free = freeBytes(dataDir)
  const needed = base.count * base.pageSize + SPARE_BYTES
  if (free >= needed) return
  throw new ConfigError(
    `A trial restore needs ${Math.ceil(needed / 1e6)} MB in ${dataDir}, which has ${Math.floor(free / 1e6)} MB free.`,
    'Free some disk, or set SLIPSTREAM_OFF_SITE_TRIAL_DAYS=0 and try a restore on another machine.',
  )
}
