// A thread that makes one backup, so that its steps delay neither requests nor the stream.

import { parentPort, workerData } from 'node:worker_threads'
import { ConfigError } from '../../base/config/config.ts'
import {
  type Backup,
  type BackupOptions,
  type BackupProgress,
  backUp,
} from '../../data/store/files/backup.ts'

export type BackupMessage =
  | { kind: 'progress'; progress: BackupProgress }
  | { kind: 'done'; backup: Backup }
  | { kind: 'refused'; message: string; hint: string }

const port = parentPort!
const tell = (message: BackupMessage) => port.postMessage(message)

try {
  const onProgress = (progress: BackupProgress) => tell({ kind: 'progress', progress })
  const backup = await backUp({ ...(workerData as BackupOptions), onProgress })
  tell({ kind: 'done', backup })
} catch (error) {
  if (!(error instanceof ConfigError)) throw error
  tell({ kind: 'refused', message: error.message, hint: error.hint })
}
