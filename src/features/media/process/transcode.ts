// Shrinks H.264 pictures: FFmpeg decodes and encodes them, a few at a time to bound memory, and at a pace
// that takes one core, however many threads there are. The package returns pictures in presentation order but
// with the timestamps of the input, so pictures are counted and get our own times.

import { setTimeout as sleep } from 'node:timers/promises'
import type { EncodedVideoChunk, VideoDecoder, VideoEncoder, VideoFrame } from '@napi-rs/webcodecs'
import { RefusedBlob } from './jobs.ts'
import { loadCodecs } from './load-codecs.ts'

/** `presentedAt`: in the track's units. */
type Sample = { isSync: boolean; data: Buffer }
type Encoded = { presentedAt: number; isKey: boolean; data: Buffer }

type Transcoding = {
  /** In decoding order. */
  samples: Iterable<Sample>
  /** The track's configuration record (avcC). */
  config: Buffer
  /** Presentation times, ascending. */
  presented: Float64Array
  /** Times of these at which decoding must be able to begin, ascending. */
  cuts: readonly number[]
  to: { width: number; height: number; framerate: number; bitrate: number }
  maxBytes: number
}

/** Pictures in the decoder and the encoder together. */
const MOST_WAITING = 8
/** Of decoded frames. */
const BYTES_PER_PIXEL = 1.5
const MOST_UNSWEPT = 48_000_000
/** High profile, at a level that the encoder chooses. */
const CODEC = 'avc1.64001f'

/** @throws RefusedBlob */
export async function transcode(
  job: Transcoding,
): Promise<{ config: Buffer; pictures: Encoded[] }> {
  const { EncodedVideoChunk, VideoDecoder, VideoEncoder } = await loadCodecs()
  const output = createOutput(job)
  const failed = (cause: Error) => output.fail(cause)
  const encoder = new VideoEncoder({ output: output.add, error: failed })
  const decoder = new VideoDecoder({ output: createPass(job, encoder, output), error: failed })
  try {
    configure(job, { decoder, encoder })
    const pace = createPace()
    let timestamp = 0
    const step = Math.round(1e6 / job.to.framerate)
    for (const { isSync, data } of job.samples) {
      const type = isSync ? 'key' : 'delta'
      decoder.decode(new EncodedVideoChunk({ type, timestamp, data }))
      timestamp += step
      while (decoder.decodeQueueSize + encoder.encodeQueueSize > MOST_WAITING) await sleep(1)
      output.check()
      await pace()
    }
    await decoder.flush()
    await encoder.flush()
    output.check()
  } catch (cause) {
    if (cause instanceof RefusedBlob) throw cause
    throw new RefusedBlob('NotEncodable', 'its frames cannot be scaled down', { cause })
  }
  return output.end()
}

function configure(
  { config, to }: Transcoding,
  { decoder, encoder }: { decoder: VideoDecoder; encoder: VideoEncoder },
): void {
  const hardwareAcceleration = 'prefer-software'
  decoder.configure({
    codec: `avc1.${config.toString('hex', 1, 4)}`,
    description: config,
    hardwareAcceleration,
  })
  const form = { codec: CODEC, avc: { format: 'avc' }, latencyMode: 'quality' } as const
  encoder.configure({ ...to, ...form, hardwareAcceleration })
}

/**
 * Passes pictures from the decoder to the encoder, in presentation order. Drops those before time
 * 0.
 */
function createPass({ cuts, presented }: Transcoding, encoder: VideoEncoder, output: Output) {
  let nextCut = 0
  let decoded = 0
  const sweep = createSweep()
  return (frame: VideoFrame) => {
    try {
      const presentedAt = presented[decoded++]
      if (presentedAt === undefined || presentedAt < 0) return
      output.expect(presentedAt)
      const before = nextCut
      while (nextCut < cuts.length && presentedAt >= cuts[nextCut]!) nextCut += 1
      encoder.encode(frame, { keyFrame: nextCut > before })
      sweep(frame)
    } catch (cause) {
      output.fail(cause)
    } finally {
      frame.close()
    }
  }
}

type Output = ReturnType<typeof createOutput>

function createOutput({ presented, maxBytes }: Transcoding) {
  const pictures: Encoded[] = []
  /** Times of pictures being encoded; the encoder keeps their order. */
  const expected: number[] = []
  let config: Buffer | undefined
  let bytes = 0
  let failure: { cause: unknown } | undefined

  return {
    expect: (presentedAt: number) => void expected.push(presentedAt),
    add(chunk: EncodedVideoChunk, about?: { decoderConfig?: { description?: unknown } }): void {
      config ??= bufferOf(about?.decoderConfig?.description)
      const data = Buffer.alloc(chunk.byteLength)
      chunk.copyTo(data)
      bytes += data.length
      const presentedAt = expected.shift()
      if (presentedAt !== undefined && bytes <= maxBytes) {
        pictures.push({ presentedAt, isKey: chunk.type === 'key', data })
      }
    },
    fail(cause: unknown): void {
      failure ??= { cause }
    },
    check(): void {
      if (failure) throw failure.cause
      if (bytes > maxBytes) throw new RefusedBlob('TooLarge', 'a lower quality would be no smaller')
    },
    end() {
      const wanted = presented.reduce((sum, presentedAt) => sum + Number(presentedAt >= 0), 0)
      if (!config || pictures.length !== wanted) {
        throw new RefusedBlob('NotEncodable', 'not all of its frames can be decoded')
      }
      return { config, pictures }
    },
  }
}

function bufferOf(description: unknown): Buffer | undefined {
  if (description instanceof ArrayBuffer) return Buffer.from(description)
  if (!ArrayBuffer.isView(description)) return undefined
  return Buffer.from(description.buffer, description.byteOffset, description.byteLength)
}

/**
 * The package frees a frame's memory only on garbage collection, and the collector sees just a
 * small object.
 */
function createSweep() {
  let bytes = 0
  return ({ codedWidth, codedHeight }: VideoFrame) => {
    bytes += codedWidth * codedHeight * BYTES_PER_PIXEL
    if (bytes < MOST_UNSWEPT) return
    bytes = 0
    globalThis.gc?.()
  }
}

/** Sleeps off processor time beyond one core. */
function createPace() {
  const begunAt = performance.now()
  const before = process.cpuUsage()
  return async () => {
    const { user, system } = process.cpuUsage(before)
    const ahead = (user + system) / 1000 - (performance.now() - begunAt)
    if (ahead > 20) await sleep(ahead)
  }
}
