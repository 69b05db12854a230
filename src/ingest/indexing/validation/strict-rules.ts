// What today's reference refuses and the lexicon validator lets pass: blobs of another kind or size than their
// field takes, languages that are not written as such, objects with the type of another, CIDs in another base,
// and integers that JavaScript can't hold. Made from the lexicons; docs/METHODS.md lists the decisions.

import { parseLanguageString } from '@atproto/syntax'
import { isRawCid } from '../../../base/atproto/keys.ts'
import documents from '../../../base/atproto/lexicons/record-lexicons.json' with { type: 'json' }

/** Holds for a value that the lexicon validator accepts; absent for types without such a rule. */
type Rule = (value: unknown) => boolean

type Definition = {
  type: string
  properties?: Record<string, Definition>
  record?: Definition
  items?: Definition
  ref?: string
  refs?: string[]
  format?: string
  accept?: string[]
  maxSize?: number
}

type Json = Record<string, unknown>

const definitions = new Map<string, Definition>(
  (documents as unknown as { id: string; defs: Record<string, Definition> }[]).flatMap(
    ({ id, defs }) =>
      Object.entries(defs).map(([name, definition]) => [
        name === 'main' ? id : `${id}#${name}`,
        definition,
      ]),
  ),
)
const rules = new Map<string, Rule | undefined>()

const BLOB_FIELDS = new Set(['$type', 'ref', 'mimeType', 'size'])

/** Whether a record of this collection, valid by its lexicon, is so by the reference's rules too. */
export function isStrictlyValid(collection: string, record: Json): boolean {
  return ruleNamed(collection)?.(record) ?? true
}

function ruleNamed(id: string): Rule | undefined {
  if (!rules.has(id)) {
    // Definitions may contain themselves.
    rules.set(id, (value) => ruleNamed(id)?.(value) ?? true)
    const definition = definitions.get(id)
    rules.set(id, definition && ruleOf(definition, id.split('#', 1)[0]!))
  }
  return rules.get(id)
}

function ruleOf(definition: Definition, nsid: string): Rule | undefined {
  const { type, record, items, format } = definition
  if (type === 'record') return ruleOf(record!, nsid)
  if (type === 'object') return ofObject(definition, nsid)
  if (type === 'array') return ofArray(items!, nsid)
  if (type === 'ref') return ofReference(definition.ref!, nsid)
  if (type === 'union') return ofUnion(definition.refs!, nsid)
  if (type === 'blob') return (value) => isFitBlob(value as Json, definition)
  if (type === 'integer') return (value) => Number.isSafeInteger(value)
  if (format === 'language') return (value) => parseLanguageString(value as string) !== null
  if (format === 'cid') return (value) => /^(?:b|Qm)/.test(value as string)
  return undefined
}

function ofObject({ properties = {} }: Definition, nsid: string): Rule {
  const fields = Object.entries(properties).flatMap(([name, definition]) => {
    const rule = ruleOf(definition, nsid)
    return rule ? [[name, rule] as const] : []
  })
  return (value) =>
    fields.every(([name, rule]) => {
      const field = (value as Json)[name]
      return field === undefined || field === null || rule(field)
    })
}

function ofArray(items: Definition, nsid: string): Rule | undefined {
  const rule = ruleOf(items, nsid)
  return rule && ((value) => (value as unknown[]).every(rule))
}

/** An object that says its type says the one that its place takes. */
function ofReference(ref: string, nsid: string): Rule | undefined {
  const id = fullName(ref, nsid)
  const rule = ruleNamed(id)
  if (definitions.get(id)?.type !== 'object') return rule
  return (value) => {
    const { $type } = value as Json
    return ($type === undefined || $type === id) && (rule?.(value) ?? true)
  }
}

/** Values of types that are not named are for the lexicon validator. */
function ofUnion(refs: readonly string[], nsid: string): Rule {
  const named = new Map(refs.map((ref) => [fullName(ref, nsid), ruleNamed(fullName(ref, nsid))]))
  return (value) => named.get(fullName(String((value as Json)['$type']), nsid))?.(value) ?? true
}

/** A blob of the first form, `{ cid, mimeType }`, has no size; old records are full of them. */
function isFitBlob(blob: Json, { accept, maxSize = Infinity }: Definition): boolean {
  const { mimeType, size, ref, $type } = blob
  if (typeof mimeType !== 'string' || (accept && !accept.some(takes(mimeType)))) return false
  if ($type === undefined) return true
  const { $link } = ref as Json
  if (typeof $link !== 'string' || !isRawCid($link)) return false
  if (!Object.keys(blob).every((field) => BLOB_FIELDS.has(field))) return false
  return Number.isSafeInteger(size) && (size as number) >= 0 && (size as number) <= maxSize
}

/** @returns whether a pattern like `image/*` or `image/png` takes this type */
function takes(mimeType: string) {
  return (pattern: string): boolean => {
    if (pattern === '*/*' || pattern === mimeType) return true
    return pattern.endsWith('/*') && mimeType.startsWith(pattern.slice(0, -1))
  }
}

function fullName(ref: string, nsid: string): string {
  return (ref.startsWith('#') ? `${nsid}${ref}` : ref).replace(/^lex:/, '').replace(/#main$/, '')
}
