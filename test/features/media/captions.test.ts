// Captions over real HTTP, as named by a post in the database: a player gets only times, positions and words
// of a file, whatever else it contains, and only files that the post names.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createVideoPosts } from '../../../src/features/media/hls/video-posts.ts'
import { readCues, writeVtt } from '../../../src/features/media/hls/vtt.ts'
import { blobCid } from '../../support/blob-host.ts'
import { bytesOf, namedBy } from '../../support/playlists.ts'
import { createServingWorld, type ServingWorld } from '../../support/serving-world.ts'
import { type MediaWorld, startMediaWorld } from './support/media-world.ts'

const VIDEO = readFileSync(join(import.meta.dirname, '../../fixtures/video/silent.mp4'))

let rows: ServingWorld
let world: MediaWorld
let rkey: string

const files = {
  en: 'WEBVTT - a title\n\nNOTE nothing\n\n1\n00:01.000 --> 00:02.000 align:start line:0 evil:x\nfirst\nsecond line\n\n00:00:03.000 --> 00:00:04.500\nlast',
  de: '\ufeffWEBVTT\r\n\r\n00:00.000 --> 00:01.000\r\n<v Ann><b>fett</b> <script>alert(1)</script> b & c > d &amp; --&gt;\r\n1 < 2\r\n',
  fr: '<html>not captions</html>',
  nl: `WEBVTT\n\n${'00:00.000 --> 00:01.000\nx\n\n'.repeat(3001)}`,
  it: `WEBVTT\n\n00:00.000 --> 00:01.000\n${'x'.repeat(200_000)}`,
}
const blobOf = (cid: string, mimeType: string) => ({
  $type: 'blob',
  mimeType,
  size: 10,
  ref: { $link: cid },
})

beforeAll(async () => {
  rows = createServingWorld()
  world = await startMediaWorld({
    posts: {
      shows: () => false,
      captionsOf: (...requested) =>
        createVideoPosts({ db: rows.reader, actors: rows.memory.actors }).captionsOf(...requested),
    },
  })
  const captions = Object.entries(files).map(([lang, text]) => ({
    lang,
    file: blobOf(world.host.put(Buffer.from(text)), 'text/vtt'),
  }))
  const video = blobOf(world.host.put(VIDEO), 'video/mp4')
  rows.member(world.did)
  const embed = {
    $type: 'app.bsky.embed.video',
    video,
    captions: [...captions, { ...captions[1], lang: 'en' }],
  }
  const post = rows.create(world.did, 'app.bsky.feed.post', {
    text: 'moving',
    createdAt: new Date().toISOString(),
    embed: {
      $type: 'app.bsky.embed.recordWithMedia',
      record: {
        $type: 'app.bsky.embed.record',
        record: { uri: `at://${world.did}/app.bsky.feed.post/3a`, cid: blobCid(VIDEO) },
      },
      media: embed,
    },
  })
  rkey = post.uri.split('/').at(-1)!
})
afterAll(async () => {
  await world.close()
  rows.dispose()
})

const address = (part: string, post = rkey) =>
  `${world.url}/video/${world.did}/${blobCid(VIDEO)}/${part}?post=${post}`

test('the playlist names each language once, in that language', async () => {
  const text = (await bytesOf(address('playlist.m3u8'))).toString()
  const languages = [...text.matchAll(/NAME="([^"]*)",LANGUAGE="([^"]*)"/g)].map(
    ([, ...value]) => value,
  )
  expect(languages).toEqual([
    ['English', 'en'],
    ['Deutsch', 'de'],
    ['français', 'fr'],
    ['Nederlands', 'nl'],
    ['italiano', 'it'],
  ])
  expect(text).toContain('SUBTITLES="captions"')
  expect(text).toMatch(
    /^#EXT-X-MEDIA:.*,CHARACTERISTICS="public\.accessibility\.transcribes-spoken-dialog",URI=/m,
  )
})

test('a missing post, or one with another video, has none', async () => {
  const other = `${world.url}/video/${world.did}/${world.host.put(readFileSync(join(import.meta.dirname, '../../fixtures/video/pictures-and-sound.mp4')))}`
  const without = ['3zzz', '', encodeURIComponent('../x')].map((post) =>
    address('playlist.m3u8', post),
  )
  for (const url of [...without, `${other}/playlist.m3u8?post=${rkey}`]) {
    expect((await bytesOf(url)).toString()).not.toMatch(/SUBTITLES/)
  }
  expect((await fetch(`${other}/captions/en.vtt?post=${rkey}`)).status).toBe(404)
  expect((await fetch(address('captions/es.vtt'))).status).toBe(404)
})

test('a file consists of times and words', async () => {
  const [file] = await namedBy(address('captions/en.m3u8'))
  const response = await fetch(file!)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/vtt'])
  expect(await response.text()).toBe(
    [
      'WEBVTT',
      'X-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:0',
      '',
      '00:00:01.000 --> 00:00:02.000 align:start line:0',
      'first\nsecond line',
      '',
      '00:00:03.000 --> 00:00:04.500',
      'last',
      '',
    ].join('\n'),
  )
})

test('nothing in a file is active', async () => {
  const text = (await bytesOf(address('captions/de.vtt'))).toString()
  expect(text).toContain('<b>fett</b> alert(1) b &amp; c &gt; d &amp; --&gt;\n1 ')
  expect(text).not.toContain('script')
})

test('a file that is invalid or too large is refused', async () => {
  const answers = { fr: 'UnfitCaptions', nl: 'UnfitCaptions', it: 'BlobTooLarge' }
  for (const [language, error] of Object.entries(answers)) {
    const response = await fetch(address(`captions/${language}.vtt`))
    expect([response.status, await response.json()]).toMatchObject([400, { error }])
  }
})

test('converted captions outlive the server that had them', async () => {
  await bytesOf(address('captions/en.vtt'))
  world.host.behave({ fail: 500 })
  expect((await bytesOf(address('captions/en.vtt'))).length).toBeGreaterThan(100)
  world.host.behave(undefined)
})

test('a tag ends by its name alone, and the last good value of a setting counts', () => {
  const settings = 'line:1,middle size:10% size:101% position:50.00000000000000000000000000000001%'
  const written = writeVtt(
    readCues(
      Buffer.from(
        `WEBVTT\n\n00:00.000 --> 00:01.000 ${settings} align:end\n<b>bold</b x> still</b> not`,
      ),
    ),
  )
  expect(written).toContain('--> 00:00:01.000 size:10% position:50% align:end\n')
  expect(written).toContain('<b>bold still</b> not')
})
