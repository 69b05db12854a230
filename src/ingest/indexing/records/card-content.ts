// What link cards show of an article or publication, taken out of the record when it is stored, since an article's text
// is far longer than its card.

import type { AssociatedCollection } from '../../../base/atproto/collections.ts'
import type { JsonObject } from '../../../base/util/json-object.ts'
import { readingMinutes } from './reading-time.ts'

const FIELDS: Record<AssociatedCollection, readonly string[]> = {
  'site.standard.document': [
    'site',
    'path',
    'title',
    'description',
    'coverImage',
    'publishedAt',
    'updatedAt',
  ],
  'site.standard.publication': ['name', 'url', 'description', 'icon', 'basicTheme'],
}

/** `readingMinutes` beside the record's own fields; omitted if it has no text. */
export function cardContent(collection: AssociatedCollection, record: JsonObject): JsonObject {
  const own = FIELDS[collection].flatMap((name) =>
    record[name] === undefined ? [] : [[name, record[name]] as const],
  )
  const text = collection === 'site.standard.document' ? record['textContent'] : undefined
  const minutes = typeof text === 'string' ? readingMinutes(text) : undefined
  return { ...Object.fromEntries(own), ...(minutes !== undefined && { readingMinutes: minutes }) }
}
