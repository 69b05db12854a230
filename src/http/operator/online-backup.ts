// Backups of a running server: one at a time, each on its own thread.

import { Worker } from 'node:worker_threads'
import { ConfigError } from '../../base/config/config.ts'
import type { Backup, BackupOptions, BackupProgress } from '../../data/store/files/backup.ts'
import type { BackupMessage } from './backup-thread.ts'

let running = false

/** @throws ConfigError if a backup is already running, or is refused. */
export async function backUpOnline(
  options: Pick<BackupOptions, 'dataDir' | 'into' | 'keep' | 'check'>,
  onProgress: (progress: BackupProgress) => void,
): Promise<Backup> {
  if (running) {
    throw new ConfigError('Another backup is running.', 'Wait until it is done.')
  }
  running = true
  try {
    return await inThread(options, onProgress)
  } finally {
    running = false
  }
}

function inThread(
  options: BackupOptions,
  onProgress: (progress: BackupProgress) => void,
): Promise<Backup> {
  const worker = new Worker(new URL('./backup-thread.ts', import.meta.url), {
    workerData: options,
  })
  return new Promise((resolve, reject) => {
    worker.on('message', (message: BackupMessage) => {
      if (message.kind === 'progress') onProgress(message.progress)
      else if (message.kind === 'done') resolve(message.backup)
      else reject(new ConfigError(message.message, message.hint))
    })
    worker.on('error', reject)
    worker.on('exit', () => reject(new Error('the backup ended before it was done')))
  })
}
