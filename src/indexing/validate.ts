// Records are checked against their lexicon at the door: one invalid record in an answer makes
// clients refuse the whole page.
//
// The lexicon validator is the judge. It costs 4–20 µs a record, so the commonest shapes of the
// commonest records are recognised first by checks that accept only what the judge surely accepts;
// whatever looks unusual goes to the judge. They can therefore differ in speed, not in verdict.

import { jsonToLex, type LexiconDoc, Lexicons } from '@atproto/lexicon'
import type { JsonObject } from '../jetstream/event.ts'
import documents from '../lexicons/record-lexicons.json' with { type: 'json' }
import type { Collection } from '../store/collections.ts'
import { isPlainRecord } from './plain-records.ts'

const lexicons = new Lexicons(documents as unknown as LexiconDoc[])

/** Whether the record, as JSON from the stream or a PDS, satisfies its collection's lexicon. */
export function isValidRecord(collection: Collection, record: JsonObject): boolean {
  return isPlainRecord(collection, record) || satisfiesLexicon(collection, record)
}

/** The verdict of the lexicon validator alone. */
export function satisfiesLexicon(collection: Collection, record: JsonObject): boolean {
  if (record['$type'] !== collection) return false
  try {
    lexicons.assertValidRecord(collection, jsonToLex(record))
    return true
  } catch {
    // ValidationError, or a structure so deep or odd that it can't be walked: bad outside data.
    return false
  }
}
