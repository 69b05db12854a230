// Restores from a store onto any machine: the newest state that is whole, the other files, and members' private
// state where that is newer. An older base takes the place of one that the store lost a part of.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, ConfigError } from '../../../base/config/config.ts'
import { loadRowsFeatures } from '../../../data/feature.ts'
import { makeDataFolder } from '../../../data/store/files/data-folder.ts'
import { type Restored, restoreBackup } from '../../../data/store/files/restore.ts'
import { locked, writingOwn } from '../../../tools/cli/offline.ts'
import type { Objects } from '../copying/objects.ts'
import { applyPrivateState, privateStatesAfter } from '../store/apply-private-state.ts'
import { type RestoredFiles, restoreFiles } from './files.ts'
import { pointsOf } from './points.ts'
import { UnfitPointError, type Written, writeDatabase } from './write-database.ts'

export type OffSiteRestored = {
  /** undefined: the store has only private state, and a new database took it. */
  database: (Restored & { at: number }) | undefined
  files: Omit<RestoredFiles, 'unfit'>
  /** Members whose private state is newer than the database, and the time of it. */
  members: number
  privateAt: number | undefined
  /** What could not be used, and why. */
  notes: string[]
}

type RestoreStep = 'looking' | 'chunks' | 'changes' | 'checking' | 'files' | 'private state'

type RestoreOptions = {
  config: Config
  objects: Objects
  /** Milliseconds: nothing later is restored. */
  until?: number | undefined
  onStep?: (step: RestoreStep, done?: number, total?: number) => void
}

/** @throws ConfigError for what an operator can put right; nothing in the folder has changed then */
export async function restoreOffSite(options: RestoreOptions): Promise<OffSiteRestored> {
  const { config, objects, until, onStep = () => {} } = options
  const { dataDir } = config
  const notes: string[] = []
  onStep('looking')
  makeDataFolder(dataDir)
  const { database, files } = await locked(dataDir, async () => {
    const found = await restoreDatabase(options, notes)
    const onProgress = (done: number, total: number) => onStep('files', done, total)
    return { database: found, files: await restoreFiles(objects, dataDir, { until, onProgress }) }
  })
  onStep('private state')
  const onUnfit = (why: string) => notes.push(why)
  const states = await privateStatesAfter(objects, database?.at ?? 0, { until, onUnfit })
  if (!database && states.length === 0) throw nothingThere(objects.url, notes)
  const isShared = (await loadRowsFeatures()).some((loadRowsFeature) =>
    loadRowsFeature.isShared?.(config),
  )
  if (states.length > 0 && !isShared) {
    await writingOwn(config, ({ writer }) => {
      for (const state of states) writer.commit((ctx) => applyPrivateState(ctx, state))
    })
  }
  const { unfit, ...restoredFiles } = files
  return {
    database,
    files: restoredFiles,
    members: new Set(states.flatMap(({ members }) => members.map(({ did }) => did))).size,
    privateAt: states.at(-1)?.at,
    notes: [...notes, ...unfit],
  }
}

async function restoreDatabase(
  { config: { dataDir }, objects, until, onStep = () => {} }: RestoreOptions,
  notes: string[],
): Promise<OffSiteRestored['database']> {
  const path = join(dataDir, 'slipstream.sqlite.coming')
  const onUnfit = (why: string) => notes.push(why)
  try {
    for await (const point of pointsOf(objects, { until: until ?? Infinity, onUnfit })) {
      const written = await attempt(
        () => writeDatabase(objects, point, path, { until, onProgress: onStep }),
        onUnfit,
      )
      if (!written) continue
      if (written.note !== undefined) notes.push(written.note)
      onStep('checking')
      return { ...restoreBackup({ dataDir, from: path, isTemporary: true }), at: written.at }
    }
    return undefined
  } finally {
    rmSync(path, { force: true })
  }
}

async function attempt(
  write: () => Promise<Written>,
  onUnfit: (why: string) => void,
): Promise<Written | undefined> {
  try {
    return await write()
  } catch (error) {
    if (!(error instanceof UnfitPointError)) throw error
    onUnfit(error.message)
    return undefined
  }
}

function nothingThere(url: string, notes: readonly string[]): ConfigError {
  const [first] = notes
  return first === undefined
    ? new ConfigError(
        `There is no backup at ${url}.`,
        'Check the bucket and the prefix: they are those of SLIPSTREAM_OFF_SITE_TO on the lost machine.',
      )
    : new ConfigError(
        `No backup at ${url} can be restored: ${first}.`,
        first.includes('another key')
          ? 'Set SLIPSTREAM_OFF_SITE_KEY to the key with which it was made.'
          : 'Restore an older state with --at, or use another copy of the bucket.',
      )
}
