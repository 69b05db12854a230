// What a real PDS (@atproto/pds) sent on com.atproto.sync.subscribeRepos, as test/e2e/record-frames.ts writes it.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'

export const RECORDED = join(import.meta.dirname, '../fixtures/firehose/pds.frames.zst')

export type RecordedFrames = {
  frames: Buffer[]
  /** did:keys, by account. */
  keys: Record<string, string>
}

export function recordedFrames(path = RECORDED): RecordedFrames {
  const content = zstdDecompressSync(readFileSync(path))
  const start = content.indexOf(10) + 1
  const { keys } = JSON.parse(content.toString('utf8', 0, start)) as Pick<RecordedFrames, 'keys'>
  const frames: Buffer[] = []
  for (let at = start; at < content.length; ) {
    const end = at + 4 + content.readUInt32BE(at)
    frames.push(content.subarray(at + 4, end))
    at = end
  }
  return { frames, keys }
}
