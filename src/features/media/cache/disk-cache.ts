// A bounded cache of files. Its only state is the file system, so it survives restarts, and several serving
// threads share a folder without coordination: an entry is written in a folder beside and renamed into place.
// A file's modification time records its last use, updated at most hourly (most servers have access times
// switched off).

import { hash, randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Logger } from '../../../base/obs/log.ts'
import { HOUR_MS } from '../../../base/util/durations.ts'
import { type CacheEntry, type EntryHead, HEAD_BYTES, openEntry, readHead } from './cache-entry.ts'
import { sweep, TEMPORARY } from './cache-sweep.ts'

export type OpenedEntry = EntryHead & {
  path: string
  /** The caller closes it; the body starts at `HEAD_BYTES`. */
  file: FileHandle
}

export type DiskCache = {
  /** Reads a whole entry; removes it if it is torn. */
  read(key: string): Promise<CacheEntry | undefined>
  /** For bodies too large to read at once; checks only their length. */
  open(key: string): Promise<OpenedEntry | undefined>
  /** Returns a path for a file to be written; a later sweep removes what a crash leaves there. */
  reserve(): Promise<string>
  /** Turns a reserved file into the entry. Never fails: a file that cannot be kept is removed. */
  add(key: string, path: string): Promise<void>
  /** Resolves once a running sweep ends. */
  settled(): Promise<void>
}

type DiskCacheOptions = {
  folder: string
  maxBytes: number
  log: Pick<Logger, 'warn' | 'debug'>
  now?: () => number
  /** Path within the folder, for keys with a fixed place. */
  pathOf?: (key: string) => string | undefined
}

/** Folder of files being written. */
const UNFINISHED = 'unfinished'
const RENEW_AFTER_MS = HOUR_MS
const SWEEP_SHARE = 16

/**
 * Each thread sums what it writes, and sweeps at a sixteenth of the limit, evicting least recently
 * used files until nine tenths of the limit are left. So the folder never exceeds its limit by more
 * than one such sixteenth per thread.
 */
export function createDiskCache(options: DiskCacheOptions): DiskCache {
  const { folder, log, now = Date.now, pathOf: locationOf } = options
  const sweeper = createSweeper(options)
  const pathOf = (key: string) => {
    const name = hash('sha256', key)
    return join(folder, locationOf?.(key) ?? join(name.slice(0, 2), name))
  }

  async function renew(path: string, usedAtMs: number): Promise<void> {
    if (now() - usedAtMs < RENEW_AFTER_MS) return
    const seconds = now() / 1000
    await utimes(path, seconds, seconds).catch(() => undefined) // swept meanwhile
  }

  return {
    async read(key) {
      const path = pathOf(key)
      const file = await openExisting(path, log)
      if (!file) return undefined
      try {
        const entry = openEntry(await readFile(file))
        if (entry) await renew(path, (await file.stat()).mtimeMs)
        else await rm(path, { force: true })
        return entry
      } finally {
        await file.close()
      }
    },

    async open(key) {
      const path = pathOf(key)
      const file = await openExisting(path, log)
      if (!file) return undefined
      const head = await checkedHead(file)
      if (head) {
        await renew(path, (await file.stat()).mtimeMs)
        return { ...head, file, path }
      }
      await file.close()
      await rm(path, { force: true })
      return undefined
    },

    async reserve() {
      const path = join(folder, UNFINISHED)
      await mkdir(path, { recursive: true })
      return join(path, `${TEMPORARY}${randomBytes(8).toString('hex')}`)
    },

    async add(key, path) {
      const location = pathOf(key)
      try {
        const { size } = await stat(path)
        await mkdir(dirname(location), { recursive: true })
        await rename(path, location)
        sweeper.noteWritten(size)
      } catch (error) {
        await rm(path, { force: true })
        log.warn({ err: error, path: location }, 'a picture could not be cached')
      }
    },

    settled: () => sweeper.settled(),
  }
}

/**
 * Runs one sweep at a time, once enough was written. The first write always sweeps, since earlier
 * contents are unknown.
 */
function createSweeper({ folder, maxBytes, log, now = Date.now }: DiskCacheOptions) {
  let unsweptBytes = Number.POSITIVE_INFINITY
  let sweeping: Promise<void> | undefined
  return {
    noteWritten(bytes: number): void {
      unsweptBytes += bytes
      if (sweeping || unsweptBytes <= maxBytes / SWEEP_SHARE) return
      unsweptBytes = 0
      sweeping = sweep({ folder, maxBytes, now: now() })
        .catch((error: unknown) =>
          log.warn({ err: error, folder }, 'the media cache could not be swept'),
        )
        .finally(() => {
          sweeping = undefined
        })
    },
    async settled(): Promise<void> {
      await sweeping
    },
  }
}

/** An unreadable file counts as missing, and is logged. */
async function openExisting(
  path: string,
  log: DiskCacheOptions['log'],
): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r')
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    if (!isMissing) log.warn({ err: error, path }, 'a cached picture could not be read')
    return undefined
  }
}

async function checkedHead(file: FileHandle): Promise<EntryHead | undefined> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
  const head = readHead(buffer.subarray(0, bytesRead))
  const { size } = await file.stat()
  return head && head.length === size - HEAD_BYTES ? head : undefined
}
