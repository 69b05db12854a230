// The current connection's compression, and if there is none, why not.

import { createDecompressor, type Decompressor, type Dictionary } from '@slipstream/zstd-dictionary'
import type { DictionaryStore } from '../dictionaries/dictionary-store.ts'
import type { Wire } from '../resume.ts'

export type Compression = {
  /** For the next connection; undefined: read it uncompressed. */
  prepare(host: string, wire: Wire, signal: AbortSignal): Promise<Decompressor | undefined>
  /** undefined: uncompressed. */
  dictionaryId(): number | undefined
  /** Why the stream is uncompressed although compression was requested. */
  whyPlain(): string | undefined
  /** The host no longer knows the dictionary. */
  forget(): Promise<void>
  /** The frames were not made with this dictionary: the next connection uses another, or none. */
  distrust(): void
  /** Whether the missing dictionary is available by now. */
  canBeHad(signal: AbortSignal): Promise<boolean>
}

export function createCompression(
  store: DictionaryStore,
  options: { isWanted: boolean; maxFrameBytes: number },
): Compression {
  let at: { host: string; wire: Wire } | undefined
  let dictionary: Dictionary | undefined
  let whyPlain: string | undefined
  let settingAside: Promise<void> | undefined

  return {
    prepare: async (host, wire, signal) => {
      at = { host, wire }
      dictionary = undefined
      whyPlain = undefined
      await settingAside
      if (!options.isWanted) return undefined
      const had = await store.get(host, wire, signal)
      if (!had.dictionary) whyPlain = had.reason
      dictionary = had.dictionary
      return dictionary && createDecompressor(dictionary, options.maxFrameBytes)
    },
    dictionaryId: () => dictionary?.id,
    whyPlain: () => whyPlain,
    forget: async () => {
      if (at && dictionary) await store.forget(at.host, at.wire, dictionary)
    },
    distrust: () => {
      if (at && dictionary) settingAside = store.setAside(at.host, at.wire, dictionary)
    },
    canBeHad: async (signal) => {
      if (!at || whyPlain === undefined) return false
      const had = await store.renew(at.host, at.wire, signal)
      return had.dictionary !== undefined
    },
  }
}
