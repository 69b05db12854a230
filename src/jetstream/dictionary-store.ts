// Where dictionaries come from: memory, then disk, then the network.
//
// v2: every host serves its own under getZstdDictionary, immutable per ID; kept on disk by host and
// ID, and the newest one is tried first after a restart. A host that no longer knows the ID says so
// (UnknownZstdDictionary), and the current one is fetched. v1: no server serves it, so it comes
// from a configured path or URL, and is kept on disk by URL. The public v1 dictionary is known by
// its hash; nothing else may carry its ID. A dictionary whose ID the frames do not carry is set
// aside for the rest of the process.

import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { fetchBounded } from './bounded-fetch.ts'
import type { Wire } from './resume.ts'
import {
  BadDictionaryError,
  type Dictionary,
  MAX_DICTIONARY_BYTES,
  readDictionary,
} from './zstd/dictionary.ts'
import { digestDictionary } from './zstd/digested-dictionary.ts'

const V1_ID = 1612007021
const V1_SHA256 = 'b8d77b46933aceecbdd5275a01241efc985c970c78162b8150cf67a26522f70c'

export type DictionaryStore = {
  /** @returns the dictionary, or else why none can be had now. */
  get(host: string, wire: Wire, signal: AbortSignal): Promise<Had>
  /** The host no longer knows this ID: the next `get` asks it for the current one. */
  forget(host: string, id: number): Promise<void>
  /** Frames of this host carry another ID: this one is never to be used there again. */
  setAside(host: string, wire: Wire, id: number): Promise<void>
}

type Had = { dictionary: Dictionary } | { dictionary: undefined; reason: string }

type Settings = { cacheDir: string; v1Dictionary: string; timeoutMs: number; log: Logger }

export function createDictionaryStore(settings: Settings): DictionaryStore {
  const known = new Map<string, Dictionary>()
  const setAside = new Set<string>()

  async function get(host: string, wire: Wire, signal: AbortSignal): Promise<Had> {
    const key = wire === 'v1' ? 'v1' : host
    try {
      const load = () => (wire === 'v1' ? loadV1(settings, signal) : loadV2(settings, host, signal))
      const dictionary = known.get(key) ?? (await load())
      known.set(key, dictionary)
      if (!setAside.has(`${host} ${wire} ${dictionary.id}`)) return { dictionary }
      return { dictionary: undefined, reason: `frames carry another than ${dictionary.id}` }
    } catch (error) {
      return { dictionary: undefined, reason: (error as Error).message }
    }
  }

  async function forget(host: string, id: number): Promise<void> {
    known.delete(host)
    await rm(join(folderOf(settings, host), `${id}.zdict`), { force: true })
  }

  return {
    get,
    forget,
    setAside: async (host, wire, id) => {
      setAside.add(`${host} ${wire} ${id}`)
      if (wire === 'v2') await forget(host, id)
    },
  }
}

async function loadV2(settings: Settings, host: string, signal: AbortSignal): Promise<Dictionary> {
  const { log } = settings
  const folder = folderOf(settings, host)
  const cached = await readNewest(folder)
  if (cached) return cached
  const url = `${host.replace(/^ws/, 'http')}/xrpc/network.bsky.jetstream.getZstdDictionary`
  const dictionary = checked(await download(settings, url, signal))
  const { id, bytes } = dictionary
  await keep(folder, `${id}.zdict`, bytes, log)
  log.info({ host, id, bytes: bytes.length }, 'fetched a zstd dictionary')
  return dictionary
}

async function loadV1(settings: Settings, signal: AbortSignal): Promise<Dictionary> {
  const { v1Dictionary, log } = settings
  if (!/^https?:\/\//.test(v1Dictionary)) return checkV1(await readFile(v1Dictionary), log)
  const folder = folderOf(settings)
  const name = `v1-${createHash('sha256').update(v1Dictionary).digest('hex').slice(0, 16)}.zdict`
  const cached = await readFile(join(folder, name)).catch(() => undefined)
  try {
    if (cached) return checkV1(cached, log)
  } catch (error) {
    log.warn({ err: error, name }, 'the cached v1 dictionary is damaged; fetching it again')
  }
  const dictionary = checkV1(await download(settings, v1Dictionary, signal), log)
  await keep(folder, name, dictionary.bytes, log)
  return dictionary
}

function download({ timeoutMs }: Settings, url: string, signal: AbortSignal): Promise<Buffer> {
  return fetchBounded(url, { maxBytes: MAX_DICTIONARY_BYTES, timeoutMs, signal })
}

/** Down to its tables: one that cannot be used must not reach a decoder. */
function checked(bytes: Buffer): Dictionary {
  const dictionary = readDictionary(bytes)
  digestDictionary(dictionary)
  return dictionary
}

function checkV1(bytes: Buffer, log: Logger): Dictionary {
  const dictionary = checked(bytes)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  if (sha256 === V1_SHA256) return dictionary
  if (dictionary.id === V1_ID) {
    throw new BadDictionaryError(
      `it says to be the public v1 dictionary, but its hash is ${sha256}`,
    )
  }
  log.warn({ id: dictionary.id, sha256 }, 'using a v1 dictionary other than the public one')
  return dictionary
}

async function readNewest(folder: string): Promise<Dictionary | undefined> {
  const names = await readdir(folder).catch(() => [])
  const files = names.filter((name) => /^\d+\.zdict$/.test(name)).map((name) => join(folder, name))
  const dated = await Promise.all(
    files.map(async (path) => ({ path, time: (await stat(path)).mtimeMs })),
  )
  dated.sort((a, b) => b.time - a.time)
  for (const { path } of dated) {
    try {
      const dictionary = checked(await readFile(path))
      if (path.endsWith(`${dictionary.id}.zdict`)) return dictionary
    } catch {
      // Torn or foreign: the host has it still.
    }
    await rm(path, { force: true })
  }
  return undefined
}

/** A crash leaves no half of a file under the right name; a full disk costs only the cache. */
async function keep(folder: string, name: string, bytes: Buffer, log: Logger): Promise<void> {
  const path = join(folder, name)
  try {
    await mkdir(folder, { recursive: true })
    await writeFile(`${path}.part`, bytes)
    await rename(`${path}.part`, path)
  } catch (error) {
    log.warn({ err: error, path }, 'could not keep a zstd dictionary on disk')
  }
}

/** All hosts have a folder each: an ID names a dictionary only on the host that serves it. */
function folderOf({ cacheDir }: Settings, host: string = ''): string {
  const name = host.replace(/^wss?:\/\//, '').replaceAll(/[^a-zA-Z0-9.-]/g, '_')
  return join(cacheDir, 'dictionaries', name)
}
