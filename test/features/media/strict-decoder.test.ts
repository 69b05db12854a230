// What FFmpeg says to our playlists when any error ends it, with and without the operator's trailer. It is no
// package of ours: SLIPSTREAM_TEST_FFMPEG names one, or it is on the PATH.

import { execFile, execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type MediaWorld, startMediaWorld } from './support/media-world.ts'

const FFMPEG = process.env['SLIPSTREAM_TEST_FFMPEG'] ?? 'ffmpeg'
const fixtures = join(import.meta.dirname, '../../fixtures/video')
const FILES = ['trailer.mp4', 'pictures-and-sound.mp4', 'silent.mp4']
const PAIRS = FILES.flatMap((video) =>
  FILES.filter((trailer) => trailer !== 'silent.mp4').map((trailer) => [video, trailer]),
) as [string, string][]

let world: MediaWorld
beforeAll(async () => {
  world = await startMediaWorld()
})
afterAll(async () => {
  await world.close()
})

function isThere(): boolean {
  try {
    execFileSync(FFMPEG, ['-version'])
    return true
  } catch {
    console.warn('skipped: no FFmpeg; SLIPSTREAM_TEST_FFMPEG names one')
    return false
  }
}

/** It keeps the first head's clock as well, and its own output complains of the pace, which is no error of reading. */
const aboutOutput = (line: string) => /^\[null @|^ +Last message repeated/.test(line)

/** Its errors while reading and decoding, and the code that it ends with. */
async function errorsIn(url: string, what: readonly string[]): Promise<[string, number]> {
  const strict = ['-xerror', '-err_detect', 'explode', '-v', 'error', '-nostdin']
  const args = [...strict, '-i', url, ...what, '-f', 'null', '-']
  try {
    const { stderr } = await promisify(execFile)(FFMPEG, args)
    return [
      stderr
        .split('\n')
        .filter((line) => !aboutOutput(line))
        .join('\n'),
      0,
    ]
  } catch (error) {
    const { stderr, code } = error as { stderr: string; code: number }
    return [stderr, code]
  }
}

test.skipIf(!isThere()).each(PAIRS)('%s with the trailer %s', async (video, trailer) => {
  const of = await startMediaWorld({
    before: world,
    videos: { kind: 'own' },
    trailer: join(fixtures, trailer),
  })
  const cid = world.host.put(readFileSync(join(fixtures, video)))
  // It decodes sound by the first head alone, so that of the trailer only if it is alike.
  const what = video === trailer ? [] : ['-an']
  const url = `${of.url}/video/${of.did}/${cid}/playlist.m3u8`
  expect(await errorsIn(url, what)).toEqual(['', 0])
  await of.close()
})
