// Segments decode to the same events as the live wire. The segments were written by the server's own code
// (test/fixtures/archive/write-fixtures.go), which also gave the live frames of the same rows. CBOR is
// compared with a general library's decoding, and damaged in every way.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { decode, encode, type LexValue } from '@atproto/lex-cbor'
import { jsonToLex, lexToJson } from '@atproto/lex-json'
import { createFrameDecoder, type Decoded } from '@slipstream/jetstream'
import { describe, expect, it } from 'vitest'
import { decodeObject } from '../../../src/base/atproto/dag-cbor/decode.ts'
import type { JsonObject } from '../../../src/base/util/json-object.ts'
import { BadBlockError, BlockRows } from '../../../src/features/archive/reading/block-rows.ts'
import { decompressBlock } from '../../../src/features/archive/reading/decompress-block.ts'
import { readRow } from '../../../src/features/archive/reading/row-event.ts'
import {
  readSegmentHeader,
  readSegmentIndex,
} from '../../../src/features/archive/reading/segment-index.ts'
import { createRandom, type Random } from '../../support/random.ts'
import { testSeed } from '../../support/seed.ts'
import { framesIn } from '../../support/segment-blocks.ts'

const MAX_BYTES = 4 * 1024 * 1024
const LONGER_THAN_ITS_RECORD = 739
const fixtures = join(import.meta.dirname, '../../fixtures/archive')
const segments = [0, 1].map((n) => readFileSync(join(fixtures, `seg_000000000${n}.jss`)))
const frames = JSON.parse(
  gunzipSync(readFileSync(join(fixtures, 'live-frames.json.gz'))).toString(),
) as { [seq: string]: string | null }

function rowsOf(body: Buffer): Map<number, Decoded> {
  const found = new Map<number, Decoded>()
  const rows = new BlockRows(body)
  while (rows.next()) found.set(rows.seq, readRow(rows, MAX_BYTES))
  return found
}

const bodies = () => segments.flatMap(framesIn).map((frame) => zstdDecompressSync(frame))

describe('segments that the server wrote', () => {
  it('hold exactly the events of the live wire, to the byte', async () => {
    const live = createFrameDecoder({
      wire: 'v2',
      decompressor: undefined,
      maxFrameBytes: MAX_BYTES,
    })
    const kinds = new Map<string, number>()
    let unsaid = 0
    for (const frame of segments.flatMap(framesIn)) {
      for (const [seq, event] of rowsOf(await decompressBlock(frame, MAX_BYTES))) {
        const text = frames[seq]
        // For this one payload the live wire drops the bytes after the record, which its CID
        // covers.
        const isLonger = seq === LONGER_THAN_ITS_RECORD
        if (text === null || isLonger) {
          expect(event, `seq ${seq}`).toBeTypeOf('string')
          unsaid++
          continue
        }
        expect(event, `seq ${seq}`).toEqual(live.decode(Buffer.from(text!), false))
        const name = typeof event === 'object' && 'kind' in event ? event.kind : String(event)
        kinds.set(name, (kinds.get(name) ?? 0) + 1)
      }
    }
    expect([...kinds.keys()].sort()).toEqual([
      'account',
      'bad-record',
      'commit',
      'identity',
      'sync',
    ])
    expect([...kinds.values()].reduce((a, b) => a + b) + unsaid).toBe(Object.keys(frames).length)
    expect(unsaid).toBeGreaterThan(10)
  })

  it('have the same frames by index as by walking', () => {
    for (const segment of segments) {
      const header = readSegmentHeader(segment.subarray(0, 256))
      const { indexAt, indexBytes } = header
      const blocks = readSegmentIndex(segment.subarray(indexAt, indexAt + indexBytes), header)
      const found = blocks.map(({ at, frameBytes }) =>
        segment.subarray(at + 8, at + 8 + frameBytes),
      )
      expect(found).toEqual(framesIn(segment))
      const seqs = framesIn(segment).map((frame) => [...rowsOf(zstdDecompressSync(frame)).keys()])
      expect(blocks.map(({ events }) => events)).toEqual(seqs.map(({ length }) => length))
      expect(blocks.map(({ maxSeq }) => maxSeq)).toEqual(seqs.map((all) => all.at(-1)))
    }
  })
})

/** Returns any value of AT Protocol's data model, as JSON. */
function anyValue(random: Random, depth: number): unknown {
  const pick = random.below(depth > 4 ? 7 : 9)
  if (pick === 0) return null
  if (pick === 1) return random.chance(0.5)
  if (pick === 2) return random.below(2 ** random.below(53)) - random.below(2 ** random.below(40))
  if (pick === 3) return anyText(random)
  if (pick === 4) return anyText(random).repeat(random.below(60))
  if (pick === 5) {
    const bytes = Buffer.alloc(random.below(40), random.below(256))
    return { $bytes: bytes.toString('base64').replace(/=+$/, '') }
  }
  if (pick === 6) return { $link: 'bafkreifzjut3te7nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e' }
  if (pick === 7) {
    return Array.from({ length: random.below(30) }, () => anyValue(random, depth + 1))
  }
  return anyObject(random, depth + 1)
}

function anyObject(random: Random, depth: number): JsonObject {
  const object: JsonObject = {}
  const count = random.below(depth === 0 ? 40 : 6)
  for (let i = 0; i < count; i++) object[`k${anyText(random)}`] = anyValue(random, depth)
  return object
}

function anyText(random: Random): string {
  const letters = [
    'a',
    'Z',
    '_',
    'é',
    '☃',
    '😀',
    '\u0000',
    '"',
    '\ufffd',
    'longer than most keys are',
  ]
  return Array.from({ length: random.below(9) }, () => random.pick(letters)).join('')
}

describe('DAG-CBOR', () => {
  it('decodes as a general library decodes it', () => {
    const random = createRandom(testSeed('DAG-CBOR'))
    for (let i = 0; i < 100; i++) {
      const value = anyObject(random, 0)
      const bytes = Buffer.from(encode(jsonToLex(value as never) as LexValue))
      const around = Buffer.concat([Buffer.alloc(3, 0xff), bytes, Buffer.alloc(2, 0xff)])
      expect(decodeObject(around, 3, 3 + bytes.length)).toEqual(value)
    }
  })

  it('if damaged, is refused or decodes as with a general library', () => {
    const random = createRandom(testSeed('damaged DAG-CBOR'))
    let read = 0
    for (let i = 0; i < 1_500; i++) {
      const bytes = Buffer.from(encode(jsonToLex(anyObject(random, 2) as never) as LexValue))
      for (let n = random.below(3); n >= 0; n--)
        bytes[random.below(bytes.length)] = random.below(256)
      const to = random.chance(0.8) ? bytes.length : random.below(bytes.length)
      const value = decodeObject(bytes, 0, to)
      if (typeof value === 'string') continue
      read++
      expect(value).toEqual(lexToJson(withNumbers(decode(bytes.subarray(0, to)))))
    }
    expect(read).toBeGreaterThan(100)
  })

  it('if nested too deeply, is dropped before the stack overflows', () => {
    const deep = Buffer.concat([Buffer.from('a16161', 'hex'), Buffer.alloc(200_000, 0x81)])
    expect(decodeObject(deep, 0, deep.length)).toBe('too-deep')
  })

  it('is refused if a length exceeds the bytes, and never yields a prototype', () => {
    const of = (hex: string) => decodeObject(Buffer.from(hex, 'hex'), 0, hex.length / 2)
    expect(of('ba7fffffff')).toBe('bad-record')
    expect(of('a161619a7fffffff')).toBe('bad-record')
    expect(of('a161617a7fffffff61')).toBe('bad-record')
    expect(of('a1695f5f70726f746f5f5fa0')).toBe('forbidden-key')
    expect(of('a1616162c328')).toBe('bad-text')
  })
})

/** Converts bigints: beyond 2^53 JSON has the nearest number. */
function withNumbers(value: unknown): LexValue {
  if (typeof value === 'bigint') return Number(value)
  if (Array.isArray(value)) return value.map(withNumbers)
  if (value === null || Object.getPrototypeOf(value) !== Object.prototype) return value as LexValue
  return Object.fromEntries(
    Object.entries(value as object).map(([key, item]) => [key, withNumbers(item)]),
  )
}

describe('damaged blocks', () => {
  it('are refused as a whole or yield valid rows, whatever was changed', () => {
    const random = createRandom(testSeed('damaged blocks'))
    const complete = bodies()
    let refused = 0
    for (let i = 0; i < 300; i++) {
      let body = Buffer.from(random.pick(complete))
      const columnsEnd = Math.min(body.length, 4 + body.readUInt32LE(0) * 34)
      for (let n = random.below(4); n >= 0; n--) {
        const bound = random.chance(0.5) ? columnsEnd : body.length
        body[random.below(bound)] = random.below(256)
      }
      if (random.chance(0.1)) body = body.subarray(0, random.below(body.length))
      try {
        for (const event of rowsOf(body).values()) expectSound(event)
      } catch (error) {
        if (!(error instanceof BadBlockError)) throw error
        refused++
      }
    }
    expect(refused).toBeGreaterThan(20)
  })

  it('are detected in their compressed form', async () => {
    const random = createRandom(testSeed('damaged frames'))
    const frame = framesIn(segments[0]!)[1]!
    for (let i = 0; i < 200; i++) {
      const bad = Buffer.from(frame)
      const at = 4 + random.below(bad.length - 4)
      bad[at] = (bad[at]! + 1 + random.below(255)) & 255
      const outcome = await decompressBlock(bad, MAX_BYTES).catch((error: unknown) => error)
      const isSame = Buffer.isBuffer(outcome) && outcome.equals(zstdDecompressSync(frame))
      expect(isSame || outcome instanceof BadBlockError, `byte ${at}`).toBe(true)
    }
  })

  it('are dropped if they would grow too large, whether they declare it or not', async () => {
    const bomb = zstdCompressSync(Buffer.alloc(64 * 1024 * 1024))
    expect(bomb.length).toBeLessThan(10_000)
    await expect(decompressBlock(bomb, 1024 * 1024)).rejects.toThrow(BadBlockError)
  })

  it('with too many rows are refused before anything is built from them', () => {
    const body = Buffer.alloc(4 + 34 * 300_000)
    body.writeUInt32LE(300_000, 0)
    expect(() => new BlockRows(body)).toThrow(BadBlockError)
    body.writeUInt32LE(0xffffffff, 0)
    expect(() => new BlockRows(body)).toThrow(BadBlockError)
  })
})

function expectSound(event: Decoded): void {
  if (typeof event === 'string') return
  if (!('kind' in event) || event.kind === 'unread') throw new Error('unexpected kind of event')
  expect(event.did).toMatch(/^did:[a-z]+:/)
  expect(event.seq).toBeGreaterThan(0)
  expect(Number.isSafeInteger(event.timeUs)).toBe(true)
  if (event.kind !== 'commit') return
  expect(event.rev).toMatch(/^[2-7a-j][2-7a-z]{12}$/)
  if (event.operation !== 'delete') expect(event.cid).toMatch(/^bafyrei[a-z2-7]{52}$/)
}
