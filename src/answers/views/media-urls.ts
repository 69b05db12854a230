// URLs of images and videos from the configured patterns. As in the reference, the DID is inserted unchanged
// into an image URL, and percent-encoded into a video's.

import type { MediaPatterns } from '../../base/util/media-patterns.ts'
import type { MediaUrls } from '../hydrate/types.ts'

export function createMediaUrls(patterns: MediaPatterns): MediaUrls {
  const image = compile(patterns.imageUrlPattern)
  const playlist = compile(patterns.videoPlaylistUrlPattern)
  const thumbnail = compile(patterns.videoThumbnailUrlPattern)
  return {
    image: (preset, did, cid) => image({ preset, did, cid }),
    videoPlaylist: (did, cid, rkey = '') =>
      playlist({ did: encodeURIComponent(did), cid, rkey: encodeURIComponent(rkey) }),
    videoThumbnail: (did, cid) => thumbnail({ did: encodeURIComponent(did), cid }),
  }
}

/** Splits the pattern once, so that building a URL is a concatenation. */
function compile(pattern: string): (values: Record<string, string>) => string {
  const [start = '', ...rest] = pattern.split(/\{(preset|did|cid|rkey)\}/)
  return (values) => {
    let url = start
    for (let i = 0; i < rest.length; i += 2) url += (values[rest[i]!] ?? '') + rest[i + 1]!
    return url
  }
}
