// How much of the disk is ours, and how much of it is free.

import { statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { FILE_NAME } from '../../data/store/db.ts'

export type DiskUse = {
  databaseBytes: number
  /** Of the write-ahead log beside it. */
  logBytes: number
  /** What an ordinary user may still write. */
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

/** Changes whenever the database file was written to, the log beside it left aside. */
export function fileState(dataDir: string): string {
  const { mtimeNs } = statSync(join(dataDir, FILE_NAME), { bigint: true })
  return mtimeNs.toString()
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
