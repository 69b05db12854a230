// Recognises the plain shapes of frequent records: only the usual fields, each in its usual form. Any record
// that passes is valid by its lexicon, and not too long.

import type { Collection } from '../../../base/atproto/collections.ts'
import type { JsonObject } from '../../../base/util/json-object.ts'
import {
  type Check,
  hasShape,
  is,
  isBlob,
  isDatetime,
  isDid,
  isListOf,
  isRecordUri,
  isStrongRef,
  isText,
  matches,
  PHOTO,
  type Shape,
} from './plain-checks.ts'
import { isPlainEmbed, isPlainFacets } from './plain-embeds.ts'

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
