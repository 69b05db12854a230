// URL patterns of images and videos that the operator has not set explicitly: on Bluesky's servers or on
// ours. Our routes have the same form as Bluesky's, so clients rewrite both alike. A
// playlist's URL also names the post, since captions belong to the post.

export type MediaPatterns = {
  /** With {preset}, {did} and {cid}. */
  imageUrlPattern: string
  /** With {did} and {cid}; {rkey} is the post's. */
  videoPlaylistUrlPattern: string
  /** With {did} and {cid}. */
  videoThumbnailUrlPattern: string
}

export type GivenPatterns = { [Name in keyof MediaPatterns]?: string | undefined }

type Origins = {
  images: 'cdn' | 'own'
  videos: 'cdn' | 'proxy' | 'own'
  videoServiceUrl: string
  publicOrigin: string
}

const IMAGE_CDN = 'https://cdn.bsky.app'

/** Playlists are always on our server; a thumbnail is on the video's server. */
function mediaPatterns({ images, videos, videoServiceUrl, publicOrigin }: Origins): MediaPatterns {
  const imageOrigin = images === 'own' ? publicOrigin : IMAGE_CDN
  const ours = `${publicOrigin}/video`
  return {
    imageUrlPattern: `${imageOrigin}/img/{preset}/plain/{did}/{cid}`,
    videoPlaylistUrlPattern: `${ours}/{did}/{cid}/playlist.m3u8?post={rkey}`,
    videoThumbnailUrlPattern: `${videos === 'cdn' ? videoServiceUrl : ours}/{did}/{cid}/thumbnail.jpg`,
  }
}

/** The patterns set explicitly in a configuration; undefined for those derived from its origin. */
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

/** Fills in the patterns that were not given. */
export function completePatterns(origins: Origins, given: GivenPatterns): MediaPatterns {
  const derived = mediaPatterns(origins)
  return {
    imageUrlPattern: given.imageUrlPattern ?? derived.imageUrlPattern,
    videoPlaylistUrlPattern: given.videoPlaylistUrlPattern ?? derived.videoPlaylistUrlPattern,
    videoThumbnailUrlPattern: given.videoThumbnailUrlPattern ?? derived.videoThumbnailUrlPattern,
  }
}
