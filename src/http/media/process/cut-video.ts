// A video becomes one that can be streamed (HTTP Live Streaming, RFC 8216): the one quality that was
// uploaded, cut into fragments of a few seconds. Nothing is encoded anew, so it costs a read and a write of
// the file. What its tables say is checked before the first byte is written (mp4/check-places.ts), so that
// the result is bounded by the size of the video.

import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { HEAD_BYTES, sealHead } from '../cache-entry.ts'
import { CUT_TYPE, writeIndex } from '../cut-file.ts'
import { Mp4Error } from '../mp4/boxes.ts'
import { checkPlaces } from '../mp4/check-places.ts'
import { planSegments, type Segment } from '../mp4/plan-segments.ts'
import { extentsOf, type Mp4File, readLayout } from '../mp4/read-file.ts'
import { readMovie } from '../mp4/read-movie.ts'
import { writeInit } from '../mp4/write-init.ts'
import { bytesOf, writeSegmentHead } from '../mp4/write-segment.ts'
import { RefusedBlob, type VideoJob } from './jobs.ts'

type Plan = { init: Buffer; pieces: { segment: Segment; head: Buffer }[] }

const BUFFER_BYTES = 1 << 20

/** @throws RefusedBlob */
export function cutVideo({ from, to }: VideoJob): void {
  const source = openSync(from, 'r')
  try {
    const length = fstatSync(source).size - HEAD_BYTES
    const mp4 = { fd: source, begin: HEAD_BYTES, length }
    writeCut(mp4, planCut(mp4), to)
  } catch (error) {
    if (!(error instanceof Mp4Error)) throw error
    const message = `the video cannot be cut: ${error.message}`
    throw new RefusedBlob('NotStreamable', message, { cause: error })
  } finally {
    closeSync(source)
  }
}

function planCut(mp4: Mp4File): Plan {
  const { moov, mdats } = readLayout(mp4)
  const movie = readMovie(moov)
  checkPlaces(movie, { mdats, fileBytes: mp4.length })
  const segments = planSegments(movie)
  return {
    init: writeInit(movie),
    pieces: segments.map((segment, i) => ({ segment, head: writeSegmentHead(segment, i) })),
  }
}

function writeCut(mp4: Mp4File, { init, pieces }: Plan, to: string): void {
  const target = openSync(to, 'wx', 0o600)
  try {
    const output = createOutput(target)
    const segments = pieces.map(({ segment, head }) => ({
      seconds: segment.durationSeconds,
      bytes: head.length + bytesOf(segment),
    }))
    output.append(writeIndex({ init: init.length, segments }))
    output.append(init)
    for (const { segment, head } of pieces) {
      output.append(head)
      for (const run of segment.runs) {
        for (const { at, length } of extentsOf(run)) output.copy(mp4, at, length)
      }
    }
    const head = sealHead({ contentType: CUT_TYPE, ...output.end() })
    writeSync(target, head, 0, head.length, 0)
  } finally {
    closeSync(target)
  }
}

/** Collects what is written, so that samples of a few bytes are not a call to the system each. */
function createOutput(target: number) {
  const sha = createHash('sha256')
  const buffer = Buffer.allocUnsafe(BUFFER_BYTES)
  let filled = 0
  let length = 0

  function flush(): void {
    for (let done = 0; done < filled; ) {
      done += writeSync(target, buffer, done, filled - done, HEAD_BYTES + length + done)
    }
    sha.update(buffer.subarray(0, filled))
    length += filled
    filled = 0
  }

  /** `put` fills the room it is given, from so many bytes on. */
  function fill(bytes: number, put: (done: number, room: Buffer) => void): void {
    for (let done = 0; done < bytes; ) {
      if (filled === buffer.length) flush()
      const some = Math.min(bytes - done, buffer.length - filled)
      put(done, buffer.subarray(filled, filled + some))
      filled += some
      done += some
    }
  }

  return {
    append: (bytes: Buffer) => fill(bytes.length, (done, room) => bytes.copy(room, 0, done)),
    copy: ({ fd, begin }: Mp4File, at: number, bytes: number) =>
      fill(bytes, (done, room) => {
        const read = readSync(fd, room, 0, room.length, begin + at + done)
        if (read < room.length) throw new Mp4Error('the file breaks off')
      }),
    end() {
      flush()
      return { digest: sha.digest('hex'), length }
    },
  }
}
