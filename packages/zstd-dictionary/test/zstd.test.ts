// Our decoder against the trusted one. Two properties matter: whatever ours accepts, the trusted decoder
// decodes to the same bytes; and both together decide every frame as the trusted one alone would. Frames come
// from libzstd (through Node's zlib and through zstd-wasm).

import { constants, zstdCompressSync } from 'node:zlib'
import { compressUsingDict, createCCtx, init } from '@bokuweb/zstd-wasm'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  compressFrame,
  fixtureDictionary,
  withDictionaryId,
} from '../../../test/support/jetstream-double/dictionaries.ts'
import {
  frameV1,
  frameV2,
  type LoggedEmission,
} from '../../../test/support/jetstream-double/emission.ts'
import { createSyntheticEvents } from '../../../test/support/jetstream-double/synthetic-events.ts'
import { createRandom, type Random } from '../../../test/support/random.ts'
import { createDecompressor, type Decompressor } from '../src/decompressor.ts'
import { BadDictionaryError, readDictionary } from '../src/dictionary.ts'
import { digestDictionary } from '../src/digested-dictionary.ts'
import { FastDecoder } from '../src/fast-decoder.ts'
import { readFrameHeader } from '../src/frame-header.ts'
import { OversizedError } from '../src/oversized.ts'
import { createTrustedDecoder } from '../src/trusted-decoder.ts'
import { createHashedMemory } from '../src/xxh64.ts'

const MAX_OUTPUT_BYTES = 512 * 1024
const CHUNK_BYTES = 2 * MAX_OUTPUT_BYTES
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000)
const dictionary = readDictionary(fixtureDictionary('v1').bytes)
const otherDictionary = readDictionary(fixtureDictionary('v2').bytes)
const fast = new FastDecoder(dictionary)
let trusted: Awaited<ReturnType<typeof createTrustedDecoder>>
let both: Decompressor

beforeAll(async () => {
  await init()
  trusted = await createTrustedDecoder(dictionary, MAX_OUTPUT_BYTES)
  both = await createDecompressor(dictionary, MAX_OUTPUT_BYTES)
})

type Settings = { level?: number; checksum?: boolean; sized?: boolean; params?: object }

function compress(content: Buffer, settings: Settings = {}): Buffer {
  const { level = 3, checksum = true, sized = true, params = {} } = settings
  return zstdCompressSync(content, {
    dictionary: dictionary.bytes,
    // Where the output fills Node's buffer exactly, Node appends an empty second frame.
    chunkSize: CHUNK_BYTES,
    params: {
      [constants.ZSTD_c_compressionLevel]: level,
      [constants.ZSTD_c_checksumFlag]: checksum ? 1 : 0,
      [constants.ZSTD_c_contentSizeFlag]: sized ? 1 : 0,
      ...params,
    },
  })
}

function texts(count: number, seed: number): Buffer[] {
  const events = createSyntheticEvents(seed)
  return Array.from({ length: count }, (_, i) => {
    const event = { ...events.next(), seq: 5_000_000 + i } as LoggedEmission
    return Buffer.from(i % 2 === 0 ? frameV1(event, true)! : frameV2(event))
  })
}

/** Returns content of varied texture, so that every block type and table mode occurs. */
function content(random: Random): Buffer {
  const sizes = [0, 1, 5, 40, 300, 2000, 20_000, 100_000, 140_000, 250_000]
  const size = sizes[random.below(sizes.length)]! + random.below(30)
  const alphabet = 1 + random.below(random.pick([1, 3, 20, 90, 256]))
  const bytes = Buffer.alloc(size)
  for (let i = 0; i < size; i++) {
    const back = 1 + random.below(Math.min(i, 5000) || 1)
    const copies = i > 20 && random.chance(0.05) ? random.below(60) : 0
    if (copies === 0) bytes[i] = random.below(alphabet) + (alphabet < 128 ? 32 : 0)
    for (let j = 0; j < copies && i < size; j++, i++) bytes[i] = bytes[i - back]!
  }
  const dictionaryPart = random.chance(0.3) ? dictionary.bytes.subarray(2000, 2000 + size) : bytes
  return Buffer.from(dictionaryPart)
}

function verdict(decode: (frame: Uint8Array) => Uint8Array, frame: Uint8Array): string {
  try {
    return Buffer.from(decode(frame)).toString('latin1')
  } catch (error) {
    return error instanceof OversizedError ? 'oversized' : 'refused'
  }
}

describe('frames of realistic shape', () => {
  test('decode bit for bit, without any help from the trusted decoder', () => {
    for (const text of texts(3000, SEED)) {
      expect(fast.decompress(compressFrame(dictionary, text.toString()))).toEqual(text)
    }
  })

  test('decode at any level, and with or without a content size', () => {
    for (const level of [-5, 1, 3, 9, 19]) {
      for (const sized of [true, false]) {
        for (const text of texts(100, SEED + level)) {
          const frame = compress(text, { level, sized })
          expect(readFrameHeader(frame)?.contentSize).toBe(sized ? text.length : undefined)
          expect(fast.decompress(frame)).toEqual(text)
        }
      }
    }
  })

  test('one result does not leak into the next', () => {
    const [long, short] = [compress(Buffer.alloc(5000, 'long ')), compress(Buffer.from('short'))]
    fast.decompress(long)
    expect(fast.decompress(short).toString()).toBe('short')
    expect(fast.decompress(short).toString()).toBe('short')
  })
})

test('contents of every texture decode alike, by our decoder alone if they have a checksum', () => {
  const random = createRandom(SEED)
  let accepted = 0
  for (let round = 0; round < 400; round++) {
    const plain = content(random)
    const level = random.pick([-20, -1, 1, 3, 6, 12])
    const params = random.chance(0.3) ? { [constants.ZSTD_c_targetLength]: 4096 } : {}
    const frame = compress(plain, { level, sized: random.chance(0.5), params })
    if (plain.length <= 256 * 1024) {
      const alone = verdict((bytes) => fast.decompress(bytes), frame)
      expect(alone === plain.toString('latin1'), `round ${round}, ${plain.length} bytes`).toBe(true)
      accepted++
    }
    expect(plain.equals(both.decompress(frame))).toBe(true)
  }
  expect(accepted).toBeGreaterThan(300)
})

test('frames that our decoder rejects are decided by the trusted one', () => {
  const text = texts(1, SEED)[0]!
  const withoutChecksum = compress(text, { checksum: false })
  const withoutDictionary = zstdCompressSync(text, {
    params: { [constants.ZSTD_c_checksumFlag]: 1 },
  })
  const fromWasm = Buffer.from(compressUsingDict(createCCtx(), text, dictionary.bytes, 3))
  const twoFrames = Buffer.concat([compress(text, { sized: false }), compress(text)])
  for (const frame of [withoutChecksum, withoutDictionary, fromWasm]) {
    expect(() => fast.decompress(frame)).toThrow()
    expect(both.decompress(frame)).toEqual(text)
  }
  expect(() => fast.decompress(twoFrames)).toThrow()
  expect(verdict(both.decompress, twoFrames)).toBe(verdict(trusted.decompress, twoFrames))
})

test('frames for another dictionary are refused, even if only the id differs', () => {
  const text = texts(1, SEED)[0]!.toString()
  expect(() => both.decompress(compressFrame(otherDictionary, text))).toThrow()
  const renamed = withDictionaryId(dictionary, 42)
  expect(() => both.decompress(compressFrame(renamed, text))).toThrow()
})

test('a window that libzstd refuses is refused, even if all else is right', () => {
  const frame = compress(texts(1, SEED)[0]!, { sized: false })
  const wide = Buffer.from(frame)
  wide[5] = 0xeb
  expect(both.decompress(frame).length).toBeGreaterThan(0)
  expect(verdict(trusted.decompress, wide)).toBe('refused')
  expect(verdict(both.decompress, wide)).toBe('refused')
})

test('an output over the limit is refused before it is built, declared or not', async () => {
  const bomb = Buffer.alloc(MAX_OUTPUT_BYTES + 1, 'a')
  expect(() => both.decompress(compress(bomb))).toThrow(OversizedError)
  expect(() => both.decompress(compress(bomb, { sized: false }))).toThrow(OversizedError)
  const small = await createDecompressor(dictionary, 1000)
  const justFits = Buffer.alloc(1000, 'ab')
  expect(small.decompress(compress(justFits))).toEqual(justFits)
  for (const sized of [true, false]) {
    const frame = compress(Buffer.alloc(1001, 'ab'), { sized })
    expect(() => small.decompress(frame)).toThrow(OversizedError)
  }
})

test('a frame that claims gigabytes is refused without reading the rest', () => {
  const frame = compress(Buffer.alloc(3000, 'claim '))
  for (const claim of [2n ** 31n, 2n ** 32n + 10n, 2n ** 63n]) {
    const lying = Buffer.alloc(14 + frame.length)
    frame.copy(lying, 0, 0, 4)
    lying[4] = 0xe7
    lying.writeUInt32LE(dictionary.id, 5)
    lying.writeBigUInt64LE(claim, 9)
    expect(() => both.decompress(lying)).toThrow(OversizedError)
  }
  expect(both.decompress(frame).length).toBe(3000)
})

describe('damaged frames', () => {
  const random = createRandom(SEED)

  function mutate(frame: Buffer): Buffer {
    const copy = Buffer.from(frame)
    const kind = random.below(5)
    if (kind === 0) return copy.subarray(0, random.below(copy.length))
    if (kind === 1) return Buffer.concat([copy, Buffer.from([random.below(256)])])
    if (kind === 2) {
      const from = random.below(copy.length)
      copy.copyWithin(from, random.below(copy.length), random.below(copy.length))
      return copy
    }
    const edits = 1 + random.below(kind === 3 ? 1 : 6)
    for (let i = 0; i < edits; i++) copy[random.below(copy.length)] = random.below(256)
    return copy
  }

  test('get the same verdict from both decoders together as from the trusted one', () => {
    const frames = texts(300, SEED).map((text) => compressFrame(dictionary, text.toString()))
    const textured = Array.from({ length: 60 }, () => compress(content(random)))
    for (let round = 0; round < 6000; round++) {
      const frame = mutate(random.pick(random.chance(0.9) ? frames : textured))
      const expected = verdict(trusted.decompress, frame)
      expect(verdict(both.decompress, frame) === expected, frame.toString('hex')).toBe(true)
      const alone = verdict((bytes) => fast.decompress(bytes), frame)
      if (alone !== 'refused') expect(alone === expected, frame.toString('hex')).toBe(true)
    }
  })

  test('never pass with a fixed checksum, unless the trusted decoder agrees', () => {
    // The checksum would hide differences in the stricter corners: here it is set to match the
    // output, so that only the format's own rules decide.
    const memory = createHashedMemory(MAX_OUTPUT_BYTES)
    const unchecked = texts(300, SEED + 1).map((text) => compress(text, { checksum: false }))
    let agreements = 0
    for (let round = 0; round < 6000; round++) {
      const damaged = mutate(random.pick(unchecked))
      const expected = verdict(trusted.decompress, damaged)
      if (damaged.length < 12 || expected === 'oversized') continue
      const output = Buffer.from(expected === 'refused' ? '' : expected, 'latin1')
      memory.bytes.set(output)
      const sum = Buffer.alloc(4)
      sum.writeInt32LE(memory.hash(0, output.length))
      const mended = Buffer.concat([damaged, sum])
      mended[4]! |= 4
      const alone = verdict((frame) => fast.decompress(frame), mended)
      if (alone === 'refused') continue
      expect(alone === expected, mended.toString('hex')).toBe(true)
      agreements++
    }
    expect(agreements).toBeGreaterThan(50)
  })

  test('leave the decoder intact', () => {
    const text = texts(1, SEED)[0]!
    const frame = compressFrame(dictionary, text.toString())
    for (let i = 0; i < 500; i++) {
      verdict((bytes) => fast.decompress(bytes), mutate(frame))
      expect(text.equals(fast.decompress(frame))).toBe(true)
    }
  })
})

test('the hash equals that of zstd, for every length up to a few stripes', () => {
  const memory = createHashedMemory(1000)
  const random = createRandom(SEED)
  for (let length = 0; length < 200; length++) {
    const bytes = Buffer.from(Array.from({ length }, () => random.below(256)))
    const frame = zstdCompressSync(bytes, { params: { [constants.ZSTD_c_checksumFlag]: 1 } })
    memory.bytes.set(bytes, 7)
    expect(memory.hash(7, length)).toBe(frame.readInt32LE(frame.length - 4))
  }
})

describe('dictionaries', () => {
  test('are refused unless they are structured, numbered and of a valid size', () => {
    expect(() => readDictionary(Buffer.alloc(1000, 'x'))).toThrow(BadDictionaryError)
    expect(() => readDictionary(dictionary.bytes.subarray(0, 20))).toThrow(BadDictionaryError)
    expect(() => readDictionary(withDictionaryId(dictionary, 0).bytes)).toThrow(/reserved/)
    expect(() => readDictionary(Buffer.alloc(2 ** 21))).toThrow(/size/)
  })

  test('with damaged tables are refused, and never crash the process', () => {
    const random = createRandom(SEED)
    let refused = 0
    for (let round = 0; round < 500; round++) {
      const bytes = Buffer.from(dictionary.bytes.subarray(0, 400 + random.below(1000)))
      for (let i = 0; i < 3; i++) bytes[8 + random.below(120)] = random.below(256)
      try {
        digestDictionary({ id: dictionary.id, bytes })
      } catch (error) {
        expect(error).toBeInstanceOf(BadDictionaryError)
        refused++
      }
    }
    expect(refused).toBeGreaterThan(250)
  })
})
