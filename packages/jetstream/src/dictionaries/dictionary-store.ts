// Where dictionaries come from: memory, then disk, then the network. v2: every host serves its own under
// getZstdDictionary, immutable for each ID; kept on disk by host and ID, and the newest one is tried first
// after a restart. v1: no server serves it, so it comes from a configured path or URL, and is kept on disk by
// URL. The public v1 dictionary is known by its hash; no other may have its ID.

import {
  BadDictionaryError,
  checkDictionary,
  type Dictionary,
  MAX_DICTIONARY_BYTES,
  readDictionary,
} from '@slipstream/zstd-dictionary'
import type { Logger } from '../logger.ts'
import type { Wire } from '../resume.ts'
import { fetchBounded } from './bounded-fetch.ts'
import { readOwn, readStored, removeStored, type Shelf, store } from './dictionary-files.ts'
import { hashOf } from './hash.ts'

const V1_ID = 1612007021
const V1_SHA256 = 'b8d77b46933aceecbdd5275a01241efc985c970c78162b8150cf67a26522f70c'
/** After this many unfit dictionaries a host is read uncompressed. */
const MAX_UNFIT = 4

export type DictionaryStore = {
  /** @returns the dictionary, or the reason why none is available now. */
  get(host: string, wire: Wire, signal: AbortSignal): Promise<Had>
  /** Fetches the currently served one, if none was available or it was set aside. */
  renew(host: string, wire: Wire, signal: AbortSignal): Promise<Had>
  /** The host no longer knows it: the next `get` fetches the current one. */
  forget(host: string, wire: Wire, dictionary: Dictionary): Promise<void>
  /** This host's frames are not made with it: this content is not used there again. */
  setAside(host: string, wire: Wire, dictionary: Dictionary): Promise<void>
}

type Had = { dictionary: Dictionary } | { dictionary: undefined; reason: string }

type Settings = { cacheDir: string; v1Dictionary: string; timeoutMs: number; log: Logger }

/**
 * A host that no longer knows an ID says so (UnknownZstdDictionary), and the current one is
 * fetched. A dictionary that does not fit a host's frames is set aside by its content and fetched
 * again. A different one is then used; if it is the same, that host and wire have none until
 * something else is served.
 */
export function createDictionaryStore(settings: Settings): DictionaryStore {
  const known = new Map<string, Dictionary>()
  /** Hashes, by host and wire. */
  const unfit = new Map<string, Set<string>>()
  const keyOf = (host: string, wire: Wire) => (wire === 'v1' ? 'v1' : host)
  const unfitAt = (host: string, wire: Wire) => unfit.get(`${host} ${wire}`) ?? new Set<string>()

  async function get(host: string, wire: Wire, signal: AbortSignal): Promise<Had> {
    if (unfitAt(host, wire).size >= MAX_UNFIT) {
      return { dictionary: undefined, reason: `${MAX_UNFIT} dictionaries did not fit the frames` }
    }
    const find = async () => known.get(keyOf(host, wire)) ?? (await load(host, wire, signal))
    return judge(host, wire, find)
  }

  async function renew(host: string, wire: Wire, signal: AbortSignal): Promise<Had> {
    const had = await judge(host, wire, () => fetchAnew(host, wire, signal))
    if (had.dictionary) unfit.delete(`${host} ${wire}`)
    return had
  }

  async function judge(host: string, wire: Wire, find: () => Promise<Dictionary>): Promise<Had> {
    try {
      const dictionary = await find()
      known.set(keyOf(host, wire), dictionary)
      if (!(await isUnfit(host, wire, dictionary))) return { dictionary }
      return { dictionary: undefined, reason: `${dictionary.id} does not fit the frames` }
    } catch (error) {
      return { dictionary: undefined, reason: (error as Error).message }
    }
  }

  async function load(host: string, wire: Wire, signal: AbortSignal): Promise<Dictionary> {
    const { shelf } = await sourceOf(settings, host, wire)
    const cached = shelf && (await readStored(shelf))
    const isFit = cached && !(await isUnfit(host, wire, cached))
    return isFit ? cached : fetchAnew(host, wire, signal)
  }

  async function fetchAnew(host: string, wire: Wire, signal: AbortSignal): Promise<Dictionary> {
    const { ask, check, shelf } = await sourceOf(settings, host, wire)
    const dictionary = await check(await ask(signal))
    if (!shelf) return dictionary
    if (!(await isUnfit(host, wire, dictionary))) await store(shelf, dictionary)
    const { id, bytes } = dictionary
    settings.log.info({ host, wire, id, bytes: bytes.length }, 'fetched a zstd dictionary')
    return dictionary
  }

  async function forget(host: string, wire: Wire, dictionary: Dictionary): Promise<void> {
    known.delete(keyOf(host, wire))
    const { shelf } = await sourceOf(settings, host, wire)
    if (shelf) await removeStored(shelf, dictionary)
  }

  /** By the current bytes: if memory was corrupted, the fetched dictionary is a different one. */
  async function setAside(host: string, wire: Wire, dictionary: Dictionary): Promise<void> {
    unfit.set(`${host} ${wire}`, unfitAt(host, wire).add(await hashOf(dictionary.bytes)))
    await forget(host, wire, dictionary)
  }

  async function isUnfit(host: string, wire: Wire, { bytes }: Dictionary): Promise<boolean> {
    const hashes = unfitAt(host, wire)
    return hashes.size > 0 && hashes.has(await hashOf(bytes))
  }

  return { get, renew, forget, setAside }
}

type Bytes = Uint8Array<ArrayBuffer>

type Source = {
  /** Fetches or reads the current bytes. */
  ask: (signal: AbortSignal) => Promise<Bytes>
  check: Shelf['check']
  /** undefined: it is a local file anyway. */
  shelf: Shelf | undefined
}

async function sourceOf(settings: Settings, host: string, wire: Wire): Promise<Source> {
  const { v1Dictionary, log } = settings
  if (wire === 'v1') {
    const check = (bytes: Bytes) => checkV1(bytes, log)
    if (!/^https?:\/\//.test(v1Dictionary)) {
      return { ask: () => readOwn(v1Dictionary), check, shelf: undefined }
    }
    const stem = `v1-${(await hashOf(new TextEncoder().encode(v1Dictionary))).slice(0, 16)}`
    const folder = folderOf(settings)
    const shelf = { folder, prefix: `${stem}.`, stemOf: () => stem, check, log }
    return { ask: (signal) => download(settings, v1Dictionary, signal), check, shelf }
  }
  const url = `${host.replace(/^ws/, 'http')}/xrpc/network.bsky.jetstream.getZstdDictionary`
  const folder = folderOf(settings, host)
  const stemOf = ({ id }: Dictionary) => String(id)
  const shelf = { folder, prefix: '', stemOf, check: checked, log }
  return { ask: (signal) => download(settings, url, signal), check: checked, shelf }
}

function download({ timeoutMs }: Settings, url: string, signal: AbortSignal): Promise<Bytes> {
  return fetchBounded(url, { maxBytes: MAX_DICTIONARY_BYTES, timeoutMs, signal })
}

/** Checks it down to its tables: an unusable dictionary must not reach a decoder. */
async function checked(bytes: Bytes): Promise<Dictionary> {
  const dictionary = readDictionary(bytes)
  checkDictionary(dictionary)
  return dictionary
}

async function checkV1(bytes: Bytes, log: Logger): Promise<Dictionary> {
  const dictionary = await checked(bytes)
  const sha256 = await hashOf(bytes)
  if (sha256 === V1_SHA256) return dictionary
  if (dictionary.id === V1_ID) {
    throw new BadDictionaryError(
      `it says to be the public v1 dictionary, but its hash is ${sha256}`,
    )
  }
  log.warn({ id: dictionary.id, sha256 }, 'using a v1 dictionary other than the public one')
  return dictionary
}

/** Each host has its own folder: an ID identifies a dictionary only on the host that serves it. */
function folderOf({ cacheDir }: Settings, host: string = ''): string {
  const name = host.replace(/^wss?:\/\//, '').replaceAll(/[^a-zA-Z0-9.-]/g, '_')
  return `${cacheDir}/dictionaries/${name}`
}
