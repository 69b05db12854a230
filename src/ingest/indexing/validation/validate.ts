// Validates records against their lexicon on arrival: one invalid record in an answer makes clients refuse
// the whole page. The lexicon validator decides. It costs 4–20 µs a record, so quick checks first recognise
// the most common shapes of the most common records; they accept only what the validator surely accepts. The
// validator is laxer than the specification on times (one without a timezone, or with hour 24, is refused
// here as in the reference implementation), and than the reference on more (strict-rules.ts).

import { jsonToLex, type LexiconDoc, Lexicons } from '@atproto/lexicon'
import { isValidDatetime } from '@atproto/syntax'
import type { Collection } from '../../../base/atproto/collections.ts'
import documents from '../../../base/atproto/lexicons/record-lexicons.json' with { type: 'json' }
import type { JsonObject } from '../../../base/util/json-object.ts'
import { isStrictlyValid } from './strict-rules.ts'

// Recognises the plain shapes of frequent records: only the usual fields, each in its usual form. Any record
// that passes is valid by its lexicon, and not too long.

// Building blocks of the checks for plain records: patterns that each match a subset of what @atproto/lexicon
// accepts for the format, and objects with the usual fields only.

/** False means "not plain", not "invalid". */
type Check = (value: unknown) => boolean

/** Fields that must and may be present. */
type Shape = { required: Record<string, Check>; optional?: Record<string, Check> }

const DATETIME =
  /^(19[7-9]\d|20\d\d)-(?:(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])|(0[13-9]|1[0-2])-(29|30)|(0[13578]|1[02])-31)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,3})?Z$/
// The last character has bits beyond the digest's length, which a decoder checks.
const CID = /^bafyrei[a-h][a-z2-7]{50}[aeimquy4]$/
const BLOB_CID = /^bafkrei[a-h][a-z2-7]{50}[aeimquy4]$/
const PLC_DID = /^did:plc:[a-z2-7]{24}$/
const RECORD_URI =
  /^at:\/\/did:plc:[a-z2-7]{24}\/app\.bsky\.(feed\.(post|repost|like|generator)|graph\.list)\/[a-z2-7]{13}$/
const WEB_URI = /^https:\/\/[a-zA-Z0-9][!-~]{0,999}$/

function matches(pattern: RegExp): Check {
  return (value) => typeof value === 'string' && pattern.test(value)
}

const isDatetime = matches(DATETIME)
const isDid = matches(PLC_DID)
const isRecordUri = matches(RECORD_URI)
const isWebUri = matches(WEB_URI)

/**
 * A text with no more UTF-16 units than graphemes are allowed never has too many graphemes or
 * bytes.
 */
function isText(maxLength: number): Check {
  return (value) => typeof value === 'string' && value.length <= maxLength
}

function isInteger(minimum: number): Check {
  return (value) => Number.isSafeInteger(value) && (value as number) >= minimum
}

function is(constant: string): Check {
  return (value) => value === constant
}

function isListOf(check: Check, maxLength: number): Check {
  return (value) => Array.isArray(value) && value.length <= maxLength && value.every(check)
}

/** Accepts an object with these fields and no others; `optional` ones may be undefined. */
function hasShape({ required, optional = {} }: Shape): Check {
  const musts = Object.entries(required)
  const mays = Object.entries(optional)
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
    const object = value as JsonObject
    let expected = musts.length
    for (const [name, check] of musts) if (!check(object[name])) return false
    for (const [name, check] of mays) {
      if (object[name] === undefined) continue
      if (!check(object[name])) return false
      expected++
    }
    for (const _ in object) expected--
    return expected === 0
  }
}

const isStrongRef = hasShape({ required: { uri: isRecordUri, cid: matches(CID) } })

/** @param maxSize - in bytes */
function isBlob(mimeType: RegExp, maxSize: number): Check {
  return hasShape({
    required: {
      $type: is('blob'),
      ref: hasShape({ required: { $link: matches(BLOB_CID) } }),
      mimeType: matches(mimeType),
      size: (value) => isInteger(0)(value) && (value as number) <= maxSize,
    },
  })
}

const PICTURE = /^image\/.{1,90}$/
const PHOTO = /^image\/(?:png|jpeg)$/

// Plain embeds and facets of posts. Texts without a limit in their lexicon are limited here, so that a plain
// record is never too long (validate.ts).

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

const isAspectRatio = hasShape({ required: { width: isInteger(1), height: isInteger(1) } })

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

const isPlainEmbed: Check = (value) =>
  isImages(value) || isExternal(value) || isQuote(value) || isQuoteWithMedia(value)

const features: Check[] = [
  hasShape({ required: { $type: is(`${FACET}#mention`), did: isDid } }),
  hasShape({ required: { $type: is(`${FACET}#link`), uri: isWebUri } }),
  hasShape({ required: { $type: is(`${FACET}#tag`), tag: isText(MAX_TAG_LENGTH) } }),
]

const isFacet = hasShape({
  required: {
    index: hasShape({ required: { byteStart: isInteger(0), byteEnd: isInteger(0) } }),
    features: isListOf((value) => features.some((check) => check(value)), MAX_FEATURES),
  },
  optional: { $type: is(FACET) },
})

const isPlainFacets = isListOf(isFacet, MAX_FACETS)

const LANGUAGE = /^[a-z]{2}(-[A-Z]{2})?$/
const MAX_LANGUAGES = 3
const MAX_POST_LENGTH = 300
const MAX_PICTURE_BYTES = 1_000_000
const MAX_NAME_LENGTH = 64
const MAX_DESCRIPTION_LENGTH = 256

const reaction: Shape = {
  required: { subject: isStrongRef, createdAt: isDatetime },
  optional: { via: isStrongRef },
}

const relation: Shape = { required: { subject: isDid, createdAt: isDatetime } }

const shapes: Partial<Record<Collection, Shape>> = {
  'app.bsky.feed.like': reaction,
  'app.bsky.feed.repost': reaction,
  'app.bsky.graph.follow': relation,
  'app.bsky.graph.block': relation,
  'app.bsky.graph.listitem': {
    required: { subject: isDid, list: isRecordUri, createdAt: isDatetime },
  },
  'app.bsky.feed.post': {
    required: { text: isText(MAX_POST_LENGTH), createdAt: isDatetime },
    optional: {
      reply: hasShape({ required: { root: isStrongRef, parent: isStrongRef } }),
      langs: isListOf(matches(LANGUAGE), MAX_LANGUAGES),
      embed: isPlainEmbed,
      facets: isPlainFacets,
    },
  },
  'app.bsky.actor.profile': {
    required: {},
    optional: {
      displayName: isText(MAX_NAME_LENGTH),
      description: isText(MAX_DESCRIPTION_LENGTH),
      avatar: isBlob(PHOTO, MAX_PICTURE_BYTES),
      banner: isBlob(PHOTO, MAX_PICTURE_BYTES),
      createdAt: isDatetime,
      pinnedPost: isStrongRef,
    },
  },
}

const checks = new Map<string, Check>(
  Object.entries(shapes).map(([collection, { required, optional }]) => [
    collection,
    hasShape({ required: { $type: is(collection), ...required }, optional: optional ?? {} }),
  ]),
)

/** False means "not plain", not "invalid". */
export function isPlainRecord(collection: Collection, record: JsonObject): boolean {
  return checks.get(collection)?.(record) ?? false
}

const lexicons = new Lexicons(documents as unknown as LexiconDoc[])

/**
 * Characters of JSON. The lexicons bound the fields they know, not unknown ones, and an answer
 * carries a hundred records; the largest honest records have a few tens of thousands.
 */
const MAX_RECORD_LENGTH = 100_000
/** Of an article with its text; its card, which is all that an answer carries, is taken out when it is stored. */
const MAX_ARTICLE_LENGTH = 400_000

/**
 * Whether the record, as JSON from the stream or a PDS, satisfies its collection's lexicon and is not
 * absurdly long.
 */
export function isValidRecord(collection: Collection, record: JsonObject): boolean {
  return isPlainRecord(collection, record) || satisfiesLexicon(collection, record)
}

/**
 * The verdict without the quick checks. Checks the length first, since it bounds what the validator
 * walks.
 */
function satisfiesLexicon(collection: Collection, record: JsonObject): boolean {
  if (record['$type'] !== collection || !hasSoundTime(record)) return false
  try {
    const isArticle = collection === 'site.standard.document'
    const longest = isArticle ? MAX_ARTICLE_LENGTH : MAX_RECORD_LENGTH
    if (JSON.stringify(record).length > longest) return false
    lexicons.assertValidRecord(collection, jsonToLex(record))
    return isStrictlyValid(collection, record)
  } catch {
    // ValidationError, or a structure too deep or odd to walk: bad outside data.
    return false
  }
}

/** `createdAt` is our collections' only time field; the lexicon says whether it is required. */
function hasSoundTime({ createdAt }: JsonObject): boolean {
  return typeof createdAt !== 'string' || isValidDatetime(createdAt)
}
