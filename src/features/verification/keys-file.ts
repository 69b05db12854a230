// Keeps everybody's keys in a file beside the database: now and then, and at the end.

import { join } from 'node:path'
import type { Config } from '../../base/config/config.ts'
import { MINUTE_MS } from '../../base/util/durations.ts'
import type { Core } from '../../ingest/core.ts'
import { readKeptKeys, writeKeptKeys } from './firehose/kept-keys.ts'
import type { StoredKeys } from './firehose/keys.ts'

export const KEYS_FILE = 'account-keys'
const SAVED_EVERY_MS = 10 * MINUTE_MS

export function readKeys({ dataDir }: Pick<Config, 'dataDir'>): Map<string, string> {
  return readKeptKeys(join(dataDir, KEYS_FILE))
}

export function keepKeys(
  { dataDir }: Pick<Config, 'dataDir'>,
  { log, room }: Pick<Core, 'log' | 'room'>,
  keys: StoredKeys,
): { stop(): Promise<void> } {
  const path = join(dataDir, KEYS_FILE)
  let saving: Promise<void> | undefined
  const save = () =>
    writeKeptKeys(path, keys.all()).catch((err: unknown) => {
      log.warn({ err, path }, 'accounts’ keys could not be saved; it is tried again')
    })
  const timer = setInterval(() => {
    if (room.isFull()) return
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
