// Tells what kind of view an object in an answer is, by its fields: most views have no `$type`.

import { isObject, type JsonObject } from '../../../base/util/json-object.ts'

type ViewKind = 'account' | 'post' | 'record' | 'other'

export function kindOf(view: JsonObject): ViewKind {
  if (typeof view['did'] === 'string' && typeof view['handle'] === 'string') return 'account'
  const isNamed = typeof view['uri'] === 'string' && typeof view['cid'] === 'string'
  if (!isNamed) return 'other'
  if (isObject(view['author']) && recordFieldOf(view)) return 'post'
  return isObject(view['creator']) || typeof view['purpose'] === 'string' ? 'record' : 'other'
}

/** The field that holds the record itself, which is its author's and is never looked into. */
export function recordFieldOf(view: JsonObject): 'record' | 'value' | undefined {
  if (isObject(view['author']) && isObject(view['value'])) return 'value'
  const isComplete = isObject(view['author']) || isObject(view['creator']) || isGate(view)
  return isComplete && isObject(view['record']) ? 'record' : undefined
}

function isGate(view: JsonObject): boolean {
  return typeof view['uri'] === 'string' && Array.isArray(view['lists'])
}

/** The objects in a view that are views or contain some. */
export function* innerViews(view: JsonObject): Generator<JsonObject> {
  const record = recordFieldOf(view)
  for (const [name, value] of Object.entries(view)) {
    if (name === record || name === 'facets' || name === 'descriptionFacets') continue
    if (isObject(value)) yield value
    else if (Array.isArray(value)) yield* value.filter(isObject)
  }
}
