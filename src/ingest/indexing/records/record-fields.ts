// Typed access to validated records. The lexicon has been checked before, so these functions only narrow
// types.

import { asObject, type JsonObject } from '../../../base/util/json-object.ts'

/** The at-URI of a strong reference at `subject`. */
export function subjectUri(record: JsonObject): unknown {
  return asObject(record['subject'])?.['uri']
}
