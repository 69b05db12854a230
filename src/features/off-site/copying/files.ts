// The data folder's other files: pins, snapshots of memory, what removed members left, and the settings. Caches,
// local backups and files that belong to a running process stay here.

import { type Dirent, existsSync } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { isOurs } from '../../../data/store/files/data-folder.ts'
import { FOLDER } from '../status.ts'
import { CHUNK_BYTES, type Chunks } from './chunks.ts'
import { filesName } from './names.ts'
import type { Objects } from './objects.ts'

export type SentFile = {
  /** Below the data folder. */
  path: string
  bytes: number
  modifiedMs: number
  chunks: string[]
}

export type FileList = {
  at: number
  files: SentFile[]
  /** As lines of a .env file. */
  settings: string
}

export type Files = {
  /** `snapshots`: also memory's, which are large and change often; else their last copies stay listed. */
  ship(options: { snapshots: boolean }): Promise<{ sent: number }>
}

const STAYS = /^(slipstream\.(sqlite|lock|pid)|control\.sock$|backups$|media-cache$)/
const SNAPSHOT = /\.snapshot$/

export function createFiles(parts: {
  run: string
  dataDir: string
  chunks: Chunks
  objects: Objects
  settings: string
  now: () => number
}): Files {
  const { dataDir, objects, settings, run, now } = parts
  let before = new Map<string, SentFile>()

  async function ship({ snapshots }: { snapshots: boolean }): Promise<{ sent: number }> {
    const files: SentFile[] = []
    let sent = 0
    for (const path of await filesIn(dataDir)) {
      const known = before.get(path)
      if (SNAPSHOT.test(path) && !snapshots) {
        if (known) files.push(known)
        continue
      }
      const shipped = await shipFile(parts, path, known)
      if (!shipped) continue
      files.push(shipped.file)
      sent += shipped.sent
    }
    const at = now()
    sent += await objects.putJson(filesName(at, run), { at, files, settings } satisfies FileList)
    before = new Map(files.map((file) => [file.path, file]))
    return { sent }
  }

  return { ship }
}

/** @returns undefined if it is gone, or changes while it is read: the next pass has it */
async function shipFile(
  { dataDir, chunks }: { dataDir: string; chunks: Chunks },
  path: string,
  known: SentFile | undefined,
): Promise<{ file: SentFile; sent: number } | undefined> {
  const found = await stat(join(dataDir, path)).catch(() => undefined)
  if (!found?.isFile()) return undefined
  const { size: bytes, mtimeMs: modifiedMs } = found
  if (known?.bytes === bytes && known.modifiedMs === modifiedMs) return { file: known, sent: 0 }
  const file: SentFile = { path, bytes, modifiedMs, chunks: [] }
  let sent = 0
  const handle = await open(join(dataDir, path)).catch(() => undefined)
  if (!handle) return undefined
  try {
    for (let at = 0; at < bytes; at += CHUNK_BYTES) {
      const piece = Buffer.alloc(Math.min(CHUNK_BYTES, bytes - at))
      const { bytesRead } = await handle.read(piece, 0, piece.length, at)
      if (bytesRead < piece.length) return undefined
      const put = await chunks.put(piece)
      file.chunks.push(put.hash)
      sent += put.sent
    }
    return (await handle.stat()).mtimeMs === modifiedMs ? { file, sent } : undefined
  } finally {
    await handle.close()
  }
}

/** Paths below the folder, in order. */
async function filesIn(dataDir: string): Promise<string[]> {
  const names = (await readdir(dataDir)).filter(
    (name) => isOurs(name) && !STAYS.test(name) && name !== FOLDER && !name.endsWith('.new'),
  )
  const all = await Promise.all(names.map((name) => filesBelow(dataDir, join(dataDir, name))))
  return all.flat().sort()
}

async function filesBelow(dataDir: string, path: string): Promise<string[]> {
  if (!existsSync(path)) return []
  if (!(await stat(path)).isDirectory()) return [relative(dataDir, path)]
  const entries: Dirent[] = await readdir(path, { withFileTypes: true, recursive: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(dataDir, join(entry.parentPath, entry.name)))
}
