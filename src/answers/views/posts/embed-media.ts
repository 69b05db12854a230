// Views of embedded images, galleries, videos and external pages: the same for all viewers.

import type {
  $Typed,
  AppBskyEmbedExternal,
  AppBskyEmbedGallery,
  AppBskyEmbedImages,
  AppBskyEmbedVideo,
} from '@atproto/api'
import type { MediaUrls } from '../../hydrate/types.ts'
import { aspectRatio, blobCid, hasType, text } from '../fields.ts'
import { oncePerObject } from '../json/memo.ts'
import { memoJson } from '../json/ready-json.ts'

export type MediaView =
  | $Typed<AppBskyEmbedImages.View>
  | $Typed<AppBskyEmbedGallery.View>
  | $Typed<AppBskyEmbedVideo.View>
  | $Typed<AppBskyEmbedExternal.View>

/** The lexicon allows more images in a record than in a view, or than clients show. */
const MAX_IMAGES = 4
const MAX_GALLERY_ITEMS = 10

/** `uri`: the at-URI of the embedding record. @returns undefined for all other embeds. */
export const mediaEmbedView = oncePerObject(
  (embed: object, uri: string, urls: MediaUrls): MediaView | undefined => {
    const view = makeView(embed, uri, urls)
    return view && memoJson(view)
  },
)

function makeView(embed: object, uri: string, urls: MediaUrls): MediaView | undefined {
  const [, , did = '', , rkey = ''] = uri.split('/')
  if (hasType<AppBskyEmbedImages.Main>(embed, 'app.bsky.embed.images')) {
    return imagesView(did, embed, urls)
  }
  if (hasType<AppBskyEmbedGallery.Main>(embed, 'app.bsky.embed.gallery')) {
    return galleryView(did, embed, urls)
  }
  if (hasType<AppBskyEmbedVideo.Main>(embed, 'app.bsky.embed.video')) {
    return videoView({ did, rkey }, embed, urls)
  }
  if (hasType<AppBskyEmbedExternal.Main>(embed, 'app.bsky.embed.external')) {
    return externalView(did, embed, urls)
  }
  return undefined
}

function imagesView(
  did: string,
  embed: AppBskyEmbedImages.Main,
  urls: MediaUrls,
): $Typed<AppBskyEmbedImages.View> {
  const images = embed.images.slice(0, MAX_IMAGES).flatMap((image) => {
    const cid = blobCid(image.image)
    if (!cid) return []
    const thumb = urls.image('feed_thumbnail', did, cid)
    const fullsize = urls.image('feed_fullsize', did, cid)
    return [
      { thumb, fullsize, alt: text(image.alt) ?? '', aspectRatio: aspectRatio(image.aspectRatio) },
    ]
  })
  return { $type: 'app.bsky.embed.images#view', images }
}

function galleryView(
  did: string,
  embed: AppBskyEmbedGallery.Main,
  urls: MediaUrls,
): $Typed<AppBskyEmbedGallery.View> {
  const items = embed.items
    .slice(0, MAX_GALLERY_ITEMS)
    .map((item) => galleryImageView(did, item, urls))
    .filter((view) => view !== undefined)
  return { $type: 'app.bsky.embed.gallery#view', items }
}

/** @returns undefined for items that are not images. */
function galleryImageView(
  did: string,
  item: unknown,
  urls: MediaUrls,
): $Typed<AppBskyEmbedGallery.ViewImage> | undefined {
  if (!hasType<AppBskyEmbedGallery.Image>(item, 'app.bsky.embed.gallery#image')) return undefined
  const cid = blobCid(item.image)
  const ratio = aspectRatio(item.aspectRatio)
  if (!cid || !ratio) return undefined
  return {
    $type: 'app.bsky.embed.gallery#viewImage',
    thumbnail: urls.image('feed_thumbnail', did, cid),
    fullsize: urls.image('feed_fullsize', did, cid),
    alt: text(item.alt) ?? '',
    aspectRatio: ratio,
  }
}

function videoView(
  { did, rkey }: { did: string; rkey: string },
  embed: AppBskyEmbedVideo.Main,
  urls: MediaUrls,
): $Typed<AppBskyEmbedVideo.View> | undefined {
  const cid = blobCid(embed.video)
  if (!cid) return undefined
  return {
    $type: 'app.bsky.embed.video#view',
    cid,
    playlist: urls.videoPlaylist(did, cid, rkey),
    thumbnail: urls.videoThumbnail(did, cid),
    alt: text(embed.alt),
    aspectRatio: aspectRatio(embed.aspectRatio),
    presentation: text(embed.presentation),
  }
}

function externalView(
  did: string,
  { external }: AppBskyEmbedExternal.Main,
  urls: MediaUrls,
): $Typed<AppBskyEmbedExternal.View> {
  const thumb = blobCid(external.thumb)
  return {
    $type: 'app.bsky.embed.external#view',
    external: {
      uri: external.uri,
      title: external.title,
      description: external.description,
      thumb: thumb && urls.image('feed_thumbnail', did, thumb),
      associatedRefs: external.associatedRefs,
    },
  }
}
