// Keeps everybody's keys in a file beside the database: now and then, and at the end.

import { join } from 'node:path'
import type { Config } from '../../base/config/config.ts'
import { MINUTE_MS } from '../../base/util/durations.ts'
import type { Core } from '../../ingest/core.ts'
import type { StoredKeys } from './firehose/keys.ts'
import { readStoredKeys, writeStoredKeys } from './firehose/stored-keys.ts'

export const KEYS_FILE = 'account-keys'
const SAVED_EVERY_MS = 10 * MINUTE_MS

export function readKeys({ dataDir }: Pick<Config, 'dataDir'>): Map<string, string> {
  return readStoredKeys(join(dataDir, KEYS_FILE))
}

export function saveKeys(
  { dataDir }: Pick<Config, 'dataDir'>,
  { log, diskSpace }: Pick<Core, 'log' | 'diskSpace'>,
  keys: StoredKeys,
): { stop(): Promise<void> } {
  const path = join(dataDir, KEYS_FILE)
  let saving: Promise<void> | undefined
  const save = () =>
    writeStoredKeys(path, keys.all()).catch((err: unknown) => {
      log.warn({ err, path }, 'accounts’ keys could not be saved; it is tried again')
    })
  const timer = setInterval(() => {
    if (diskSpace.isFull()) return
    saving ??= save().finally(() => {
      saving = undefined
    })
  }, SAVED_EVERY_MS)
  return {
    async stop() {
      clearInterval(timer)
      await saving
      await save()
    },
  }
}
