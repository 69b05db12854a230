// From compressed frame to validated event, on one core: our decoder against the trusted one (libzstd in
// WebAssembly, which digests the dictionary for every frame), alone and with JSON parsing and validation.
// Times are CPU times of this process, best of several rounds, because other work may share the machine.
// Frames are synthetic events with the network's mix, compressed with the double's dictionary; also with the
// real dictionaries, as `decode.production.…`, if ../shared has them. Run alone: node bench/decode.ts

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFrameDecoder } from '@slipstream/jetstream'
import {
  createDecompressor,
  createTrustedDecoder,
  type Dictionary,
  FastDecoder,
  readDictionary,
} from '@slipstream/zstd-dictionary'
import {
  compressFrame,
  fixtureDictionaryPath,
} from '../test/support/jetstream-double/dictionaries.ts'
import { frameV1, frameV2, type LoggedEmission } from '../test/support/jetstream-double/emission.ts'
import { createSyntheticEvents } from '../test/support/jetstream-double/synthetic-events.ts'
import type { BenchResult } from './runner/result.ts'

const MAX_FRAME_BYTES = 4 * 1024 * 1024
const SHARED = join(import.meta.dirname, '../../shared/data/jetstream')

type Options = { full: boolean }

export async function decodeBench({ full }: Options = { full: false }): Promise<BenchResult[]> {
  const count = full ? 100_000 : 10_000
  const results = await benchWire('decode', 'v2', fixtureDictionaryPath('v2'), count)
  for (const [wire, file] of [
    ['v1', 'v1.zdict'],
    ['v2', 'v2-20260811.zdict'],
  ] as const) {
    const path = join(SHARED, file)
    if (existsSync(path)) {
      results.push(...(await benchWire(`decode.production.${wire}`, wire, path, count)))
    }
  }
  return results
}

export { decodeBench as bench }

async function benchWire(
  name: string,
  wire: 'v1' | 'v2',
  dictionaryPath: string,
  count: number,
): Promise<BenchResult[]> {
  const dictionary = readDictionary(readFileSync(dictionaryPath))
  const { texts, frames } = makeFrames(wire, dictionary, count)
  const fast = new FastDecoder(dictionary)
  const trusted = await createTrustedDecoder(dictionary, MAX_FRAME_BYTES)
  const decompressor = await createDecompressor(dictionary, MAX_FRAME_BYTES)
  const decoder = createFrameDecoder({ wire, decompressor, maxFrameBytes: MAX_FRAME_BYTES })

  const ours = perSecond(frames, (frame) => fast.decompress(frame).length > 0)
  const wasm = perSecond(frames, (frame) => trusted.decompress(frame).length > 0)
  const events = perSecond(frames, (frame) => typeof decoder.decode(frame, true) === 'object')
  const plain = perSecond(texts, (text) => typeof decoder.decode(text, false) === 'object')
  trusted.dispose()
  decompressor.dispose()
  return [
    { name: `${name}.frames_per_s`, value: ours, unit: 'frames/s' },
    { name: `${name}.wasm.frames_per_s`, value: wasm, unit: 'frames/s' },
    { name: `${name}.wasm.ratio`, value: ours / wasm, unit: 'times' },
    { name: `${name}.json.events_per_s`, value: events, unit: 'events/s' },
    { name: `${name}.json.plain.events_per_s`, value: plain, unit: 'events/s' },
    { name: `${name}.content_bytes`, value: meanLength(texts), unit: 'B/frame' },
    { name: `${name}.compressed_bytes`, value: meanLength(frames), unit: 'B/frame' },
  ]
}

function makeFrames(
  wire: 'v1' | 'v2',
  dictionary: Dictionary,
  count: number,
): { texts: Buffer[]; frames: Buffer[] } {
  const events = createSyntheticEvents(7)
  const texts: Buffer[] = []
  const frames: Buffer[] = []
  for (let seq = 1; seq <= count; seq++) {
    const event = { ...events.next(), seq: 4_000_000_000 + seq } as LoggedEmission
    const text = wire === 'v2' ? frameV2(event) : frameV1(event, true)!
    texts.push(Buffer.from(text))
    frames.push(compressFrame(dictionary, text))
  }
  return { texts, frames }
}

/** Takes the best of several rounds; a frame that fails to decode aborts the benchmark. */
function perSecond(frames: Buffer[], decode: (frame: Buffer) => boolean): number {
  let best = 0
  for (let round = 0; round < 6; round++) {
    const start = process.cpuUsage()
    for (const frame of frames) {
      if (!decode(frame)) throw new Error('a frame was not decoded')
    }
    const { user, system } = process.cpuUsage(start)
    best = Math.max(best, (frames.length * 1e6) / (user + system))
  }
  return best
}

function meanLength(buffers: Buffer[]): number {
  return buffers.reduce((sum, { length }) => sum + length, 0) / buffers.length
}

if (process.argv[1] === import.meta.filename) {
  const results = await decodeBench({ full: process.argv.includes('--full') })
  for (const { name, value, unit } of results) {
    console.log(
      `${name.padEnd(44)} ${Math.round(value).toLocaleString('en-US').padStart(12)} ${unit}`,
    )
  }
}
