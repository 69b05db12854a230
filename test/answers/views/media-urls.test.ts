// Addresses of images and videos from configured patterns.

import { expect, test } from 'vitest'
import { createMediaUrls } from '../../../src/answers/views/media-urls.ts'
import { loadConfig } from '../../../src/base/config/config.ts'

const DID = 'did:web:example.org%3A8080'

test('by default pictures are on Bluesky’s servers, and playlists are ours', () => {
  const urls = createMediaUrls(loadConfig({}, '/nonexistent'))
  expect(urls.image('avatar', 'did:plc:a', 'bafk')).toBe(
    'https://cdn.bsky.app/img/avatar/plain/did:plc:a/bafk',
  )
  expect(urls.videoPlaylist('did:plc:a', 'bafk', '3k')).toBe(
    'http://localhost:3000/video/did%3Aplc%3Aa/bafk/playlist.m3u8?post=3k',
  )
  expect(urls.videoThumbnail('did:plc:a', 'bafk')).toBe(
    'https://video.bsky.app/watch/did%3Aplc%3Aa/bafk/thumbnail.jpg',
  )
})

test('a pattern may use its parts in any order, repeatedly, or not at all', () => {
  const urls = createMediaUrls({
    imageUrlPattern: 'https://x.test/{cid}?of={did}&again={cid}&{other}',
    videoPlaylistUrlPattern: 'https://x.test/{did}',
    videoThumbnailUrlPattern: 'https://x.test/same',
  })
  expect(urls.image('banner', DID, 'c')).toBe(`https://x.test/c?of=${DID}&again=c&{other}`)
  expect(urls.videoPlaylist(DID, 'c')).toBe(`https://x.test/${encodeURIComponent(DID)}`)
  expect(urls.videoThumbnail(DID, 'c')).toBe('https://x.test/same')
})
