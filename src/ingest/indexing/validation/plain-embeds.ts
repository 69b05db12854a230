// Plain embeds and facets of posts. Texts without a limit in their lexicon are limited here, so that a plain
// record is never too long (validate.ts).

import {
  type Check,
  hasShape,
  is,
  isBlob,
  isDid,
  isListOf,
  isStrongRef,
  isText,
  isWebUri,
  isWhole,
  PICTURE,
} from './plain-checks.ts'

const EMBED = 'app.bsky.embed'
const FACET = 'app.bsky.richtext.facet'
const MAX_IMAGE_BYTES = 2_000_000
const MAX_THUMB_BYTES = 1_000_000
const MAX_ALT_LENGTH = 2000
const MAX_TITLE_LENGTH = 1000
const MAX_TAG_LENGTH = 64
const MAX_IMAGES = 4
const MAX_FACETS = 10
const MAX_FEATURES = 2

const isAspectRatio = hasShape({ required: { width: isWhole(1), height: isWhole(1) } })

const isImage = hasShape({
  required: { image: isBlob(PICTURE, MAX_IMAGE_BYTES), alt: isText(MAX_ALT_LENGTH) },
  optional: { aspectRatio: isAspectRatio },
})

const isImages = hasShape({
  required: { $type: is(`${EMBED}.images`), images: isListOf(isImage, MAX_IMAGES) },
})

const isLink = hasShape({
  required: { uri: isWebUri, title: isText(MAX_TITLE_LENGTH), description: isText(MAX_ALT_LENGTH) },
  optional: { thumb: isBlob(PICTURE, MAX_THUMB_BYTES) },
})

const isExternal = hasShape({ required: { $type: is(`${EMBED}.external`), external: isLink } })

const isQuote = hasShape({ required: { $type: is(`${EMBED}.record`), record: isStrongRef } })

const isQuoteWithMedia = hasShape({
  required: {
    $type: is(`${EMBED}.recordWithMedia`),
    record: isQuote,
    media: (value) => isImages(value) || isExternal(value),
  },
})

export const isPlainEmbed: Check = (value) =>
  isImages(value) || isExternal(value) || isQuote(value) || isQuoteWithMedia(value)

const features: Check[] = [
  hasShape({ required: { $type: is(`${FACET}#mention`), did: isDid } }),
  hasShape({ required: { $type: is(`${FACET}#link`), uri: isWebUri } }),
  hasShape({ required: { $type: is(`${FACET}#tag`), tag: isText(MAX_TAG_LENGTH) } }),
]

const isFacet = hasShape({
  required: {
    index: hasShape({ required: { byteStart: isWhole(0), byteEnd: isWhole(0) } }),
    features: isListOf((value) => features.some((check) => check(value)), MAX_FEATURES),
  },
  optional: { $type: is(FACET) },
})

export const isPlainFacets = isListOf(isFacet, MAX_FACETS)
