// Records are checked against their lexicon at the door: one invalid record in an answer makes clients refuse the
// whole page. The lexicon validator is the judge. It costs 4–20 µs a record, so the commonest shapes of the
// commonest records are recognised first by checks that accept only what the judge surely accepts. On times the
// validator is laxer than the specification, and one without a timezone, or of the 24th hour, is refused here as in
// the reference.

import { jsonToLex, type LexiconDoc, Lexicons } from '@atproto/lexicon'
import { isValidDatetime } from '@atproto/syntax'
import type { Collection } from '../../base/atproto/collections.ts'
import type { JsonObject } from '../../base/event.ts'
import documents from '../../data/lexicons/record-lexicons.json' with { type: 'json' }
import { isPlainRecord } from './plain-records.ts'

const lexicons = new Lexicons(documents as unknown as LexiconDoc[])

/**
 * Characters of JSON. The lexicons bound the fields they know, not those they don't, and an answer
 * carries a hundred records: the largest honest ones have a few tens of thousands.
 */
const MAX_RECORD_LENGTH = 100_000

/**
 * Whether the record, as JSON from the stream or a PDS, satisfies its collection's lexicon and is not
 * absurdly long.
 */
export function isValidRecord(collection: Collection, record: JsonObject): boolean {
  return isPlainRecord(collection, record) || satisfiesLexicon(collection, record)
}

/** The verdict without the quick checks. The length comes first: it bounds what the judge walks. */
function satisfiesLexicon(collection: Collection, record: JsonObject): boolean {
  if (record['$type'] !== collection || !hasSoundTime(record)) return false
  try {
    if (JSON.stringify(record).length > MAX_RECORD_LENGTH) return false
    lexicons.assertValidRecord(collection, jsonToLex(record))
    return true
  } catch {
    // ValidationError, or a structure so deep or odd that it can't be walked: bad outside data.
    return false
  }
}

/** `createdAt` is the one time that our collections have; whether it must be there the lexicon says. */
function hasSoundTime({ createdAt }: JsonObject): boolean {
  return typeof createdAt !== 'string' || isValidDatetime(createdAt)
}
