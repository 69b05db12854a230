// The double's own dictionaries (test/fixtures/jetstream, trained on made-up events) and its compressor,
// which frames events as the real server does: always with dictionary id and checksum, with content size only
// from 256 bytes up.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { constants, zstdCompressSync } from 'node:zlib'

const FIXTURES = join(import.meta.dirname, '../../fixtures/jetstream')
const SIZED_FROM_BYTES = 256

export type Dictionary = { id: number; bytes: Buffer }

export function fixtureDictionary(wire: 'v1' | 'v2'): Dictionary {
  const bytes = readFileSync(join(FIXTURES, `${wire}.zdict`))
  return { id: bytes.readUInt32LE(4), bytes }
}

export function fixtureDictionaryPath(wire: 'v1' | 'v2'): string {
  return join(FIXTURES, `${wire}.zdict`)
}

/** Returns the same dictionary under another id, as a rotation looks from outside. */
export function withDictionaryId(dictionary: { bytes: Uint8Array }, id: number): Dictionary {
  const bytes = Buffer.from(dictionary.bytes)
  bytes.writeUInt32LE(id, 4)
  return { id, bytes }
}

/**
 * Returns a dictionary that looks intact, with the same id, but is corrupt where frames refer to
 * it; different for each mask.
 */
export function spoiltDictionary({ id, bytes }: Dictionary, mask = 0xff): Dictionary {
  const half = bytes.length >> 1
  return { id, bytes: Buffer.from(bytes.map((byte, at) => (at < half ? byte : byte ^ mask))) }
}

export function compressFrame(
  dictionary: Pick<Dictionary, 'id'> & { bytes: Uint8Array },
  text: string,
): Buffer {
  const content = Buffer.from(text)
  const params = {
    [constants.ZSTD_c_checksumFlag]: 1,
    [constants.ZSTD_c_contentSizeFlag]: content.length < SIZED_FROM_BYTES ? 0 : 1,
    // Small tables: the dictionary is digested again for every frame, which is the main cost.
    [constants.ZSTD_c_strategy]: constants.ZSTD_fast,
    [constants.ZSTD_c_windowLog]: 14,
    [constants.ZSTD_c_hashLog]: 10,
    [constants.ZSTD_c_chainLog]: 6,
  }
  return zstdCompressSync(content, { dictionary: dictionary.bytes, params })
}
