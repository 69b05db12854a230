// Puts the data folder's other files back, and the settings beside them.

import { mkdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { isOurs } from '../../../data/store/files/data-folder.ts'
import { BucketError } from '../bucket/bucket-error.ts'
import { getChunk } from '../copying/chunks.ts'
import type { FileList, SentFile } from '../copying/files.ts'
import { FOLDERS, readTimed } from '../copying/names.ts'
import type { Objects } from '../copying/objects.ts'
import { SealError } from '../sealing/seal.ts'
import { FOLDER } from '../status.ts'

export type RestoredFiles = { files: number; settings: string | undefined; unfit: string[] }

/** Of the newest list until that time; a file that is damaged in the store is left out. */
export async function restoreFiles(
  objects: Objects,
  dataDir: string,
  {
    until = Infinity,
    onProgress,
  }: { until?: number | undefined; onProgress?: (done: number, total: number) => void },
): Promise<RestoredFiles> {
  const unfit: string[] = []
  const list = await newestList(objects, until, unfit)
  if (!list) return { files: 0, settings: undefined, unfit }
  let files = 0
  for (const [i, file] of list.files.entries()) {
    if (await attempt(() => restoreFile(objects, dataDir, file), unfit)) files += 1
    onProgress?.(i + 1, list.files.length)
  }
  const settings = join(dataDir, FOLDER, 'settings.env')
  writeBelow(settings, Buffer.from(list.settings))
  return { files, settings, unfit }
}

async function newestList(
  objects: Objects,
  until: number,
  unfit: string[],
): Promise<FileList | undefined> {
  const names = (await objects.list(FOLDERS.files)).map(({ name }) => name).sort()
  for (const name of names.reverse()) {
    if ((readTimed(name)?.at ?? Infinity) > until) continue
    let list: FileList | undefined
    await attempt(async () => {
      list = await objects.getJson<FileList>(name)
    }, unfit)
    if (list) return list
  }
  return undefined
}

async function attempt(work: () => Promise<void>, unfit: string[]): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    const isOfObject =
      error instanceof SealError || (error instanceof BucketError && error.isMissing)
    if (!isOfObject) throw error
    unfit.push((error as Error).message)
    return false
  }
}

async function restoreFile(objects: Objects, dataDir: string, file: SentFile): Promise<void> {
  const path = normalize(file.path)
  // Sealed lists are our own; a bug in one must not write elsewhere.
  if (path.startsWith('/') || path.startsWith('..') || !isOurs(path.split('/')[0]!)) return
  const pieces: Buffer[] = []
  for (const hash of file.chunks) pieces.push(await getChunk(objects, hash))
  const target = join(dataDir, path)
  writeBelow(target, Buffer.concat(pieces))
  utimesSync(target, new Date(), new Date(file.modifiedMs))
}

function writeBelow(path: string, bytes: Buffer): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(`${path}.new`, bytes, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}
