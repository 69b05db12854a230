// 152 consecutive events as production served them, through both wires and both real dictionaries. The files
// are not part of this repository (../shared); without them the tests are skipped with a warning.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createDecompressor, FastDecoder, readDictionary } from '@slipstream/zstd-dictionary'
import { describe, expect, it } from 'vitest'
import { compressFrame } from '../../../test/support/jetstream-double/dictionaries.ts'
import { frameV2, type LoggedEmission } from '../../../test/support/jetstream-double/emission.ts'
import { createFrameDecoder } from '../src/frames/frame-decoder.ts'
import { emitLike, startConsumer, startDouble } from './consumer-rig.ts'

const FOLDER = join(import.meta.dirname, '../../../../shared/data/jetstream')
const EVENTS = join(FOLDER, 'production-v1-2026-07-04.jsonl')
const maxFrameBytes = 1_000_000
const isHere = existsSync(EVENTS)
if (!isHere) console.warn(`SKIPPED: production events and dictionaries are not in ${FOLDER}`)

type Frame = {
  did: string
  time_us: number
  kind: 'commit' | 'identity' | 'account'
  commit?: { [key: string]: unknown; operation: string }
  identity?: object
  account?: object
}

function lines(): string[] {
  return readFileSync(EVENTS, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
}

function emissionOf(line: string): LoggedEmission {
  const { did, time_us: timeUs, kind, ...inner } = JSON.parse(line) as Frame
  return { did, timeUs, kind, ...inner[kind] } as unknown as LoggedEmission
}

function dictionary(name: string) {
  return readDictionary(readFileSync(join(FOLDER, name)))
}

describe.runIf(isHere)('production events', () => {
  it('decode from the v1 wire exactly as written, plain and compressed', async () => {
    const real = dictionary('v1.zdict')
    const fast = new FastDecoder(real)
    const decompressor = await createDecompressor(real, maxFrameBytes)
    const decoder = createFrameDecoder({ wire: 'v1', decompressor, maxFrameBytes })
    expect(lines().length).toBe(152)
    for (const line of lines()) {
      const frame = compressFrame(real, line)
      expect(fast.decompress(frame).toString()).toBe(line)
      const expected = JSON.parse(line) as Frame
      const event = decoder.decode(frame, true)
      expect(event).toMatchObject({
        did: expected.did,
        timeUs: expected.time_us,
        kind: expected.kind,
      })
      if (expected.commit) expect(event).toMatchObject(expected.commit)
      expect(decoder.decode(Buffer.from(line), false)).toEqual(event)
    }
  })

  it('decode from the v2 wire to the same events', async () => {
    const real = dictionary('v2-20260811.zdict')
    const fast = new FastDecoder(real)
    const decompressor = await createDecompressor(real, maxFrameBytes)
    const v2 = createFrameDecoder({ wire: 'v2', decompressor, maxFrameBytes })
    const v1 = createFrameDecoder({ wire: 'v1', decompressor: undefined, maxFrameBytes })
    for (const [i, line] of lines().entries()) {
      const text = frameV2({ ...emissionOf(line), seq: i + 1 })
      const frame = compressFrame(real, text)
      expect(fast.decompress(frame).toString()).toBe(text)
      const fromV1 = v1.decode(Buffer.from(line), false)
      expect(v2.decode(frame, true)).toEqual({ ...(fromV1 as object), seq: i + 1 })
    }
  })

  it('travel over real sockets on both wires', async () => {
    for (const wire of ['v2', 'v1'] as const) {
      const double = await startDouble()
      const rig = startConsumer(double, { wire })
      await rig.untilConnected()
      for (const line of lines()) double.emit(emissionOf(line))
      emitLike(double)
      await rig.until(() => rig.events.length === 153)
      expect(rig.consumer.status().dropped).toEqual({})
      const written = rig.events.flatMap((event) => ('record' in event ? [event.record] : []))
      const expected = lines().flatMap((line) => (JSON.parse(line) as Frame).commit?.record ?? [])
      expect(written.slice(0, -1)).toEqual(expected)
    }
  })
})

it.skipIf(isHere)('production events are missing: see the warning above', () => {})
