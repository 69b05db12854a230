// Disk use of our files, and free disk space.

import { statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../../../base/config/config.ts'
import { FILE_NAME } from '../db.ts'
import { freeBytes } from './free-bytes.ts'

export type DiskUse = {
  databaseBytes: number
  /** Of the write-ahead log beside the database. */
  logBytes: number
  /** Bytes that an ordinary user may still write. */
  freeBytes: number
  totalBytes: number
}

export function readDiskUse(dataDir: string): DiskUse {
  const { bavail, blocks, bsize } = statfsSync(dataDir)
  const file = join(dataDir, FILE_NAME)
  return {
    databaseBytes: sizeOf(file),
    logBytes: sizeOf(`${file}-wal`),
    freeBytes: bavail * bsize,
    totalBytes: blocks * bsize,
  }
}

/** Changes on every write to the database file, but not on writes to its log. */
export function fileState(dataDir: string): string {
  const { mtimeNs } = statSync(join(dataDir, FILE_NAME), { bigint: true })
  return mtimeNs.toString()
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

/** @throws ConfigError if a copy of a database of this size does not fit into the folder */
export function refuseFullDisk(folder: string, bytes: number, hint: string): void {
  const free = freeBytes(folder)
  if (free > bytes) return
  const missing = Math.ceil((bytes - free) / 1e6)
  const size = Math.ceil(bytes / 1e6)
  throw new ConfigError(
    `The backup takes ${size} MB, ${missing} MB more than is free in ${folder}.`,
    hint,
  )
}
