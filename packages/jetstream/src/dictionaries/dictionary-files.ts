// Dictionaries on disk. A file's name ends with a hash of its original content, and the file is used only if
// that still matches: a dictionary damaged in the middle is still well-formed, but every frame read with it
// is lost. Non-matching files are removed.

import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Dictionary } from '@slipstream/zstd-dictionary'
import type { Logger } from '../logger.ts'
import { hashOf } from './hash.ts'

const SUFFIX = '.zdict'
const HASH_CHARS = 32

type Bytes = Uint8Array<ArrayBuffer>

export type Shelf = {
  folder: string
  /** Prefix of the file names to look through. */
  prefix: string
  /** The part of a name before the hash. */
  stemOf: (dictionary: Dictionary) => string
  /** @throws Error if these bytes are not a dictionary for this shelf. */
  check: (bytes: Bytes) => Promise<Dictionary>
  log: Logger
}

/** @returns the newest undamaged one. */
export async function readStored(shelf: Shelf): Promise<Dictionary | undefined> {
  const { folder, prefix, log } = shelf
  for (const name of await newestFirst(folder, prefix)) {
    const path = join(folder, name)
    const dictionary = await readComplete(shelf, name).catch(() => undefined)
    if (dictionary) return dictionary
    log.warn({ path }, 'a zstd dictionary on disk has changed: fetching it again')
    await remove(path, log)
  }
  return undefined
}

/** A crash leaves no partial file under the final name; a full disk costs only the cache. */
export async function store(shelf: Shelf, dictionary: Dictionary): Promise<void> {
  const path = join(shelf.folder, await nameOf(shelf, dictionary))
  try {
    await mkdir(shelf.folder, { recursive: true })
    await writeFile(`${path}.part`, dictionary.bytes)
    await rename(`${path}.part`, path)
  } catch (error) {
    shelf.log.warn({ err: error, path }, 'could not keep a zstd dictionary on disk')
  }
}

/** Removes all files under its stem, whatever the hash. */
export async function removeStored(shelf: Shelf, dictionary: Dictionary): Promise<void> {
  const names = await namesIn(shelf.folder, `${shelf.stemOf(dictionary)}.`)
  await Promise.all(names.map((name) => remove(join(shelf.folder, name), shelf.log)))
}

/** A dictionary that the operator has as a file. */
export function readOwn(path: string): Promise<Bytes> {
  return readFile(path)
}

async function readComplete(shelf: Shelf, name: string): Promise<Dictionary | undefined> {
  const dictionary = await shelf.check(await readFile(join(shelf.folder, name)))
  return (await nameOf(shelf, dictionary)) === name ? dictionary : undefined
}

async function nameOf({ stemOf }: Shelf, dictionary: Dictionary): Promise<string> {
  const hash = await hashOf(dictionary.bytes)
  return `${stemOf(dictionary)}.${hash.slice(0, HASH_CHARS)}${SUFFIX}`
}

async function newestFirst(folder: string, prefix: string): Promise<string[]> {
  const names = await namesIn(folder, prefix)
  const dated = await Promise.all(
    names.map(async (name) => {
      // Gone meanwhile: another of our streams found it damaged too.
      const found = await stat(join(folder, name)).catch(() => undefined)
      return { name, time: found?.mtimeMs ?? 0 }
    }),
  )
  return dated.sort((a, b) => b.time - a.time).map(({ name }) => name)
}

async function namesIn(folder: string, prefix: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.filter((name) => name.startsWith(prefix) && name.endsWith(SUFFIX))
}

async function remove(path: string, log: Logger): Promise<void> {
  try {
    await rm(path, { force: true })
  } catch (error) {
    log.warn({ err: error, path }, 'could not remove a zstd dictionary from the disk')
  }
}
