// Checks the parts of records that views use, since one unsound record could cost a client its whole page
// (contract §B2). Records were validated against their lexicons on ingest; this is the second line, cheap
// enough for every read: it checks only what ends up in views. Unsound records are treated as absent and
// counted. Formats follow the lexicons of the same names.

import { isAtUriString, isValidDatetime, isValidDid, isValidUri } from '@atproto/syntax'
import {
  arrayOf,
  type Check,
  isCount,
  isPositive,
  isText,
  object,
  optional,
  union,
} from './shape.ts'

const CID = /^(baf[a-z2-7]{40,128}|Qm[1-9A-HJ-NP-Za-km-z]{44})$/
const isCid: Check = (value) => typeof value === 'string' && CID.test(value)
const isAtUri: Check = (value) => typeof value === 'string' && isAtUriString(value)
const isDid: Check = (value) => typeof value === 'string' && isValidDid(value)
const isFlag: Check = (value) => typeof value === 'boolean'
const isUri: Check = (value) => typeof value === 'string' && isValidUri(value)

const segmenter = new Intl.Segmenter()

/** A text never has more graphemes than UTF-16 units, so counting graphemes is seldom needed. */
function textUpTo({ bytes, graphemes }: { bytes: number; graphemes?: number }): Check {
  return (value) => {
    if (typeof value !== 'string') return false
    if (value.length * 3 > bytes && Buffer.byteLength(value) > bytes) return false
    if (graphemes === undefined || value.length <= graphemes) return true
    return [...segmenter.segment(value)].length <= graphemes
  }
}

export const isStrongRef = object({ uri: isAtUri, cid: isCid })
/** For records of which only the at-URI ends up in a view. */
const pointer = object({ uri: isAtUri })

const currentBlob = object({ ref: object({ $link: isCid }) })
const legacyBlob = object({ cid: isCid })
const hasBlob: Check = (value) => currentBlob(value) || legacyBlob(value)
const ratio = object({ width: isPositive, height: isPositive })

const labels = union({
  'com.atproto.label.defs#selfLabels': object({
    values: arrayOf(object({ val: textUpTo({ bytes: 128 }) })),
  }),
})

const facet = object({
  index: object({ byteStart: isCount, byteEnd: isCount }),
  features: arrayOf(
    union({
      'app.bsky.richtext.facet#mention': object({ did: isText }),
      'app.bsky.richtext.facet#link': object({ uri: isUri }),
      'app.bsky.richtext.facet#tag': object({ tag: textUpTo({ bytes: 640, graphemes: 64 }) }),
    }),
  ),
})

const media: Record<string, Check> = {
  'app.bsky.embed.images': object({
    images: arrayOf(object({ image: hasBlob, alt: isText, aspectRatio: optional(ratio) })),
  }),
  'app.bsky.embed.gallery': object({
    items: arrayOf(
      union({
        'app.bsky.embed.gallery#image': object({ image: hasBlob, alt: isText, aspectRatio: ratio }),
      }),
    ),
  }),
  'app.bsky.embed.video': object({
    video: hasBlob,
    alt: optional(isText),
    aspectRatio: optional(ratio),
    presentation: optional(isText),
  }),
  'app.bsky.embed.external': object({
    external: object({
      uri: isUri,
      title: isText,
      description: isText,
      thumb: optional(hasBlob),
      associatedRefs: optional(arrayOf(isStrongRef)),
    }),
  }),
}

const embed = union({
  ...media,
  'app.bsky.embed.record': object({ record: pointer }),
  'app.bsky.embed.recordWithMedia': object({
    record: object({ record: pointer }),
    media: union(media),
  }),
})

export const isSoundPost = object({
  text: isText,
  createdAt: isText,
  reply: optional(object({ root: pointer, parent: pointer })),
  embed: optional(embed),
  facets: optional(arrayOf(facet)),
  labels: optional(labels),
})

/** `pinnedPost` is not checked: bad values are known to occur, and views omit only the pin. */
export const isSoundProfile = object({
  displayName: optional(textUpTo({ bytes: 640, graphemes: 64 })),
  description: optional(textUpTo({ bytes: 2560, graphemes: 256 })),
  pronouns: optional(isText),
  website: optional(isUri),
  avatar: optional(hasBlob),
  banner: optional(hasBlob),
  labels: optional(labels),
  createdAt: optional(isText),
})

export const isSoundList = object({
  name: (value) => value !== '' && textUpTo({ bytes: 64 })(value),
  purpose: isText,
  description: optional(textUpTo({ bytes: 3000, graphemes: 300 })),
  descriptionFacets: optional(arrayOf(facet)),
  avatar: optional(hasBlob),
})

export const isSoundGenerator = object({
  did: isDid,
  displayName: textUpTo({ bytes: 240, graphemes: 24 }),
  description: optional(textUpTo({ bytes: 3000, graphemes: 300 })),
  descriptionFacets: optional(arrayOf(facet)),
  avatar: optional(hasBlob),
  acceptsInteractions: optional(isFlag),
  contentMode: optional(isText),
})

export const isSoundStarterPack = object({
  name: isText,
  list: isAtUri,
  feeds: optional((value) => arrayOf(pointer)(value) && (value as unknown[]).length <= 3),
})

/** All of it ends up in labelerViewDetailed. */
export const isSoundLabeler = object({
  policies: object({ labelValues: arrayOf(isText) }),
  labels: optional(labels),
  createdAt: isText,
})

export const isSoundStatus = object({
  status: isText,
  durationMinutes: optional(isPositive),
  embed: optional(union(media)),
})

export const isSoundVerification = object({ handle: isText, displayName: isText })

/** For several kinds of declaration, each with its own fields. */
export const isSoundDeclaration = object({
  allowIncoming: optional(isText),
  allowGroupInvites: optional(isText),
  allowSubscriptions: optional(isText),
  messageMe: optional(object({ showButtonTo: isText, messageMeUrl: isUri })),
})

const isTime: Check = (value) => typeof value === 'string' && isValidDatetime(value)

export const isSoundDocument = object({
  site: isUri,
  path: optional(isText),
  title: isText,
  description: optional(isText),
  coverImage: optional(hasBlob),
  publishedAt: isTime,
  updatedAt: optional(isTime),
  readingMinutes: optional(isPositive),
})

const isChannel: Check = (value) => isCount(value) && (value as number) <= 255
const colour = union({
  'site.standard.theme.color#rgb': object({ r: isChannel, g: isChannel, b: isChannel }),
})

export const isSoundPublication = object({
  name: isText,
  url: isUri,
  description: optional(isText),
  icon: optional(hasBlob),
  basicTheme: optional(
    object({
      background: colour,
      foreground: colour,
      accent: colour,
      accentForeground: colour,
    }),
  ),
})

export const isSoundThreadgate = object({
  allow: optional(
    arrayOf(union({ 'app.bsky.feed.threadgate#listRule': object({ list: isAtUri }) })),
  ),
  hiddenReplies: optional(arrayOf(isAtUri)),
})

export const isSoundPostgate = object({
  detachedEmbeddingUris: optional(arrayOf(isAtUri)),
  embeddingRules: optional(arrayOf(union({}))),
})
