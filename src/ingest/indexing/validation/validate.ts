// Validates records against their lexicon on arrival: one invalid record in an answer makes clients refuse
// the whole page. The lexicon validator decides. It costs 4–20 µs a record, so quick checks first recognise
// the most common shapes of the most common records; they accept only what the validator surely accepts. The
// validator is laxer than the specification on times (one without a timezone, or with hour 24, is refused
// here as in the reference implementation), and than the reference on more (strict-rules.ts).

import { jsonToLex, type LexiconDoc, Lexicons } from '@atproto/lexicon'
import { isValidDatetime } from '@atproto/syntax'
import type { Collection } from '../../../base/atproto/collections.ts'
import type { JsonObject } from '../../../base/util/json-object.ts'
import documents from '../../../data/lexicons/record-lexicons.json' with { type: 'json' }
import { isPlainRecord } from './plain-records.ts'
import { isStrictlyValid } from './strict-rules.ts'

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
