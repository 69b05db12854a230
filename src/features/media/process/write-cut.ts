// Writes a cut video to disk: an index, the head, and the segments with their samples' bytes, which are
// copied from file to file through one buffer.

import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { HEAD_BYTES, sealHead } from '../cache/cache-entry.ts'
import { CUT_TYPE, writeIndex } from '../cut-file.ts'
import { Mp4Error } from '../mp4/boxes.ts'
import type { CutPlan } from '../mp4/plan-cut.ts'
import type { Segment } from '../mp4/plan-segments.ts'
import { extentsOf, type Mp4File } from '../mp4/read-file.ts'
import { bytesOf } from '../mp4/write-segment.ts'

const BUFFER_BYTES = 1 << 20

type CutIndex = Parameters<typeof writeIndex>[0]
type Output = Omit<ReturnType<typeof createOutput>, 'end'>

type Run = Segment['runs'][number]
type Target = {
  to: string
  /** Samples of runs that are not in the file; undefined for runs that are. */
  samplesOf?: (run: Run) => readonly Buffer[] | undefined
}

/** @throws Mp4Error if the file is truncated */
export function writeCut(
  mp4: Mp4File,
  { init, pieces }: Pick<CutPlan, 'init' | 'pieces'>,
  { to, samplesOf = () => undefined }: Target,
): void {
  const segments = pieces.map(({ segment, head }) => ({
    seconds: segment.durationSeconds,
    bytes: head.length + bytesOf(segment),
  }))
  writeCutFile(to, { init: init.length, segments }, (output) => {
    output.append(init)
    for (const { segment, head } of pieces) {
      output.append(head)
      for (const run of segment.runs) {
        const samples = samplesOf(run)
        if (samples) samples.forEach(output.append)
        else for (const { at, length } of extentsOf(run)) output.copy(mp4, at, length)
      }
    }
  })
}

/** @param put - writes the contents that the index describes. */
export function writeCutFile(to: string, index: CutIndex, put: (output: Output) => void): void {
  const target = openSync(to, 'wx', 0o600)
  try {
    const output = createOutput(target)
    output.append(writeIndex(index))
    put(output)
    const head = sealHead({ contentType: CUT_TYPE, ...output.end() })
    writeSync(target, head, 0, head.length, 0)
  } finally {
    closeSync(target)
  }
}

/** Buffers writes, so that small samples do not take a system call each. */
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

  /** Calls `put` to fill each part of the buffer, with the number of bytes already done. */
  function fill(bytes: number, put: (done: number, buffer: Buffer) => void): void {
    for (let done = 0; done < bytes; ) {
      if (filled === buffer.length) flush()
      const some = Math.min(bytes - done, buffer.length - filled)
      put(done, buffer.subarray(filled, filled + some))
      filled += some
      done += some
    }
  }

  return {
    append: (bytes: Buffer) => fill(bytes.length, (done, buffer) => bytes.copy(buffer, 0, done)),
    copy: ({ fd, begin }: Mp4File, at: number, bytes: number) =>
      fill(bytes, (done, buffer) => {
        const read = readSync(fd, buffer, 0, buffer.length, begin + at + done)
        if (read < buffer.length) throw new Mp4Error('the file is truncated')
      }),
    end() {
      flush()
      return { digest: sha.digest('hex'), length }
    },
  }
}
