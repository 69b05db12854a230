// Validates a stranger's answer item by item: each is checked against the method's lexicon as a client would
// check it, and made neutral (neutral-views.ts). Unfit items are left out without affecting the others; if
// anything outside the items is unfit, there is no answer.

import { jsonToLex, type Lexicons } from '@atproto/lexicon'
import { isObject, type JsonObject } from '../../../base/util/json-object.ts'
import { type Neutral, neutralise } from './neutral-views.ts'
import { innerViews } from './view-kinds.ts'

/** More than any requested page has. Threads have the most. */
const MAX_ITEMS = 1_000

/** @returns undefined if no part of it is usable */
export function validAnswer(nsid: string, answer: JsonObject, by: Neutral): JsonObject | undefined {
  const field = itemsFieldOf(by.lexicons, nsid)
  const { cursor, ...rest } = answer
  const body: JsonObject = typeof cursor === 'string' && cursor !== '' ? { ...rest, cursor } : rest
  const frame = field === undefined ? body : { ...body, [field]: [] }
  if (!isFit(nsid, frame, by)) return undefined
  if (field === undefined) return frame
  const items = body[field]
  if (!Array.isArray(items)) return undefined
  const around = withoutOptional(by.lexicons, nsid, frame)
  const fit = items
    .slice(0, MAX_ITEMS)
    .filter((item) => isObject(item) && isFit(nsid, { ...around, [field]: [item] }, by))
  return { ...frame, [field]: fit }
}

function isFit(nsid: string, body: JsonObject, by: Neutral): boolean {
  if (hasNull(body) || !neutralise(body, by)) return false
  try {
    by.lexicons.assertValidXrpcOutput(nsid, jsonToLex(body))
    return true
  } catch {
    return false
  }
}

/** One null costs a client the whole page; but a record may contain what its author wrote. */
function hasNull(view: JsonObject): boolean {
  const values = Object.values(view)
  if (values.some((value) => value === null || (Array.isArray(value) && value.includes(null)))) {
    return true
  }
  for (const inner of innerViews(view)) if (hasNull(inner)) return true
  return false
}

/** The minimal frame around an item that lets the lexicon validate it. */
function withoutOptional(lexicons: Lexicons, nsid: string, frame: JsonObject): JsonObject {
  const required = schemaOf(lexicons, nsid)?.required ?? []
  return Object.fromEntries(Object.entries(frame).filter(([name]) => required.includes(name)))
}

/** The one array of views; undefined if the answer is a single object. */
export function itemsFieldOf(lexicons: Lexicons, nsid: string): string | undefined {
  const schema = schemaOf(lexicons, nsid)
  const required = schema?.required ?? []
  return required.find((name) => schema?.properties[name]?.type === 'array')
}

function schemaOf(lexicons: Lexicons, nsid: string) {
  const schema = lexicons.getDefOrThrow(nsid, ['query']).output?.schema
  return schema?.type === 'object' ? schema : undefined
}
