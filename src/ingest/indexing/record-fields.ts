// Typed reading of validated records. The lexicon has been checked before, so these only narrow.

import type { JsonObject } from '../../base/event.ts'

export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined
}

export function asArray(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** The at-URI of a strong reference at `subject`. */
export function subjectUri(record: JsonObject): unknown {
  return asObject(record['subject'])?.['uri']
}
