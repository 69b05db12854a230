// Where pictures and videos are, as far as the operator has not said it in so many words: on Bluesky's
// servers, or on ours. Our routes (src/http/media/) have the form of Bluesky's, so clients rewrite both alike.

export type MediaPatterns = {
  imageUrlPattern: string
  videoPlaylistUrlPattern: string
  videoThumbnailUrlPattern: string
}

export type GivenPatterns = { [Name in keyof MediaPatterns]?: string | undefined }

type Origins = { images: 'cdn' | 'own'; videos: 'cdn' | 'own'; publicOrigin: string }

const IMAGE_CDN = 'https://cdn.bsky.app'
const VIDEO_CDN = 'https://video.bsky.app/watch'

function mediaPatterns({ images, videos, publicOrigin }: Origins): MediaPatterns {
  const imageOrigin = images === 'own' ? publicOrigin : IMAGE_CDN
  const videoBase = videos === 'own' ? `${publicOrigin}/video` : VIDEO_CDN
  return {
    imageUrlPattern: `${imageOrigin}/img/{preset}/plain/{did}/{cid}`,
    videoPlaylistUrlPattern: `${videoBase}/{did}/{cid}/playlist.m3u8`,
    videoThumbnailUrlPattern: `${videoBase}/{did}/{cid}/thumbnail.jpg`,
  }
}

/** Those of a configuration that were given; undefined for what followed from its origin. */
export function givenPatterns(config: Origins & MediaPatterns): GivenPatterns {
  const derived = mediaPatterns(config)
  const given = (name: keyof MediaPatterns) =>
    config[name] === derived[name] ? undefined : config[name]
  return {
    imageUrlPattern: given('imageUrlPattern'),
    videoPlaylistUrlPattern: given('videoPlaylistUrlPattern'),
    videoThumbnailUrlPattern: given('videoThumbnailUrlPattern'),
  }
}

/** Those that were given, and the others as they follow. */
export function completePatterns(origins: Origins, given: GivenPatterns): MediaPatterns {
  const derived = mediaPatterns(origins)
  return {
    imageUrlPattern: given.imageUrlPattern ?? derived.imageUrlPattern,
    videoPlaylistUrlPattern: given.videoPlaylistUrlPattern ?? derived.videoPlaylistUrlPattern,
    videoThumbnailUrlPattern: given.videoThumbnailUrlPattern ?? derived.videoThumbnailUrlPattern,
  }
}
