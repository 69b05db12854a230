// A bounded cache of files. The file system is all the bookkeeping there is, so it survives a restart, and several
// serving threads share one folder without speaking to each other: an entry is written in a folder beside and
// renamed into its place, and a file's modification time says when it was last wanted (access times are switched off
// on most servers; renewed at most hourly).

import { hash, randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Logger } from '../../base/obs/log.ts'
import { HOUR_MS } from '../../base/util/durations.ts'
import { type CacheEntry, type EntryHead, HEAD_BYTES, openEntry, readHead } from './cache-entry.ts'
import { sweep, TEMPORARY } from './cache-sweep.ts'

export type OpenedEntry = EntryHead & {
  path: string
  /** To be closed by the caller; the body begins at `HEAD_BYTES`. */
  file: FileHandle
}

export type DiskCache = {
  /** An entry that is whole; what is torn is thrown away. */
  read(key: string): Promise<CacheEntry | undefined>
  /** For bodies too large to be read at once; only their length is checked. */
  open(key: string): Promise<OpenedEntry | undefined>
  /** A place for a file that is being written; what is left there by a crash goes at a later sweep. */
  reserve(): Promise<string>
  /** A file there becomes the entry. Never fails: where it can't be kept, it is removed. */
  keep(key: string, path: string): Promise<void>
  /** Resolves when a sweep that runs is over. */
  settled(): Promise<void>
}

type DiskCacheOptions = {
  folder: string
  maxBytes: number
  log: Pick<Logger, 'warn' | 'debug'>
  now?: () => number
  /** A path in the folder, for keys that have a place of their own. */
  placeOf?: (key: string) => string | undefined
}

/** The folder of what is being written. */
const UNFINISHED = 'unfinished'
const RENEW_AFTER_MS = HOUR_MS
const SWEEP_SHARE = 16

/**
 * Each thread sums what it has written, and sweeps when that is a sixteenth of the limit: the files longest unused
 * go until nine tenths are left. So the folder is never larger than the limit, its sixteenths in flight (one for
 * each thread) aside.
 */
export function createDiskCache(options: DiskCacheOptions): DiskCache {
  const { folder, log, now = Date.now, placeOf } = options
  const sweeper = createSweeper(options)
  const pathOf = (key: string) => {
    const name = hash('sha256', key)
    return join(folder, placeOf?.(key) ?? join(name.slice(0, 2), name))
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
      const place = join(folder, UNFINISHED)
      await mkdir(place, { recursive: true })
      return join(place, `${TEMPORARY}${randomBytes(8).toString('hex')}`)
    },

    async keep(key, path) {
      const place = pathOf(key)
      try {
        const { size } = await stat(path)
        await mkdir(dirname(place), { recursive: true })
        await rename(path, place)
        sweeper.noteWritten(size)
      } catch (error) {
        await rm(path, { force: true })
        log.warn({ err: error, path: place }, 'a picture could not be kept')
      }
    },

    settled: () => sweeper.settled(),
  }
}

/** One sweep at a time, whenever enough was written; what stands there from before is not known at first. */
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
          log.warn({ err: error, folder }, 'the media cache was not swept'),
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

/** A cache that cannot be read is an empty one, and a line in the log. */
async function openExisting(
  path: string,
  log: DiskCacheOptions['log'],
): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r')
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    if (!isMissing) log.warn({ err: error, path }, 'a kept picture could not be read')
    return undefined
  }
}

async function checkedHead(file: FileHandle): Promise<EntryHead | undefined> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
  const head = readHead(buffer.subarray(0, bytesRead))
  const { size } = await file.stat()
  return head && head.length === size - HEAD_BYTES ? head : undefined
}
