// Playlists and captions made of texts for which careless code scans the same characters repeatedly: the time
// to read either grows at most linearly.

import { expect, test } from 'vitest'
import { readPlaylist, UnfitPlaylist } from '../../../src/features/media/hls/read-playlist.ts'
import { readCues, UnfitCaptions, writeVtt } from '../../../src/features/media/hls/vtt.ts'
import { superlinear } from '../../support/cpu-growth.ts'
import { worstText, worstTexts } from '../../support/worst-texts.ts'

const frames = {
  'a first playlist': (text: string) => `#EXTM3U\n#EXT-X-STREAM-INF:${text}\nv.m3u8\n`,
  'a second playlist': (text: string) => `#EXTM3U\n#EXTINF:2,${text}\n${text}\n#EXT-X-ENDLIST\n`,
  'many lines': (text: string) => `#EXTM3U\n${text.replaceAll(/(.{60})/g, '$1\n')}`,
  captions: (text: string) => `WEBVTT\n\n00:00.000 --> 00:01.000\n${text}`,
  'many captions': (text: string) =>
    `WEBVTT\n\n${text.replaceAll(/(.{60})/g, '$1\n\n00:00.000 --> 00:01.000 $1\n')}`,
}

test.each(Object.entries(frames))('%s', async (_, frame) => {
  for (const name of worstTexts) {
    const found = await superlinear((size) => read(frame(worstText(name, size))), 90_000)
    expect([name, found]).toEqual([name, undefined])
  }
})

function read(text: string): void {
  try {
    if (text.startsWith('WEBVTT')) writeVtt(readCues(Buffer.from(text)))
    else readPlaylist(Buffer.from(text), (uri) => new URL(uri, 'https://a.test/').href)
  } catch (error) {
    const isUnfit = error instanceof UnfitPlaylist || error instanceof UnfitCaptions
    if (!isUnfit && !(error instanceof TypeError)) throw error
  }
}
