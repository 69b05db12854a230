// Valid playlists and captions with random changes: their readers reject them with an error type of their own, and
// throw nothing unexpected.

import { readFileSync } from 'node:fs'
import { test } from 'vitest'
import { readPlaylist, UnfitPlaylist } from '../../../src/features/media/hls/read-playlist.ts'
import { readCues, UnfitCaptions, writeVtt } from '../../../src/features/media/hls/vtt.ts'
import { expectMutatedRead } from '../../support/mutated-read.ts'
import { createRandom } from '../../support/random.ts'
import { testSeed } from '../../support/seed.ts'

const SEED = testSeed('mutated texts')

const vtt = Buffer.from(
  'WEBVTT\n\nNOTE hello\n\n1\n00:01.000 --> 00:04.000 align:left\n<b>Never</b> drink\n\n00:05.000 --> 00:09.000\n- It &amp; will\n',
)
const master = Buffer.from(
  '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=688540,CODECS="avc1.64001e,mp4a.40.2",RESOLUTION=640x360\n360p/video.m3u8\n',
)
const media = readFileSync(new URL('../../fixtures/video/service/360p/video.m3u8', import.meta.url))
const resolve = (uri: string) => {
  if (!URL.canParse(uri, 'https://video.test/')) throw new UnfitPlaylist('nowhere')
  return new URL(uri, 'https://video.test/').href
}

type Reader = [what: string, honest: Buffer, read: (bytes: Buffer) => unknown, word: unknown]

test.each<Reader>([
  ['a master playlist', master, (bytes) => readPlaylist(bytes, resolve), UnfitPlaylist],
  ['a playlist', media, (bytes) => readPlaylist(bytes, resolve), UnfitPlaylist],
  ['captions', vtt, (bytes) => writeVtt(readCues(bytes)), UnfitCaptions],
])(`%s (seed ${SEED})`, (_what, honest, read, word) =>
  expectMutatedRead(honest, { read, word, random: createRandom(SEED) }),
)
