// Writes src/base/atproto/lexicons/ from the packages that package.json names (lexicons/union.ts), without descriptions:
// `official-lexicons.json`, one lexicon per line, has everything; `record-lexicons.json` has the indexed record
// collections, those of our own in lexicons/ too, and every definition they reach. Importing @atproto/api's at run time
// would cost each thread 25 MB. Run after naming another version, and for a new record type: npm run lexicons

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { collections, isIndexed } from '../src/base/atproto/collections.ts'
import { loadLexicons } from '../src/base/atproto/lexicons/lexicons.ts'
import type { Json } from './lexicons/package-lexicons.ts'
import { npmRegistry } from './lexicons/registry.ts'
import { pinnedPackages, unionOf } from './lexicons/union.ts'

const FOLDER = join(import.meta.dirname, '../src/base/atproto/lexicons')
const OFFICIAL = join(FOLDER, 'official-lexicons.json')
const RECORDS = join(FOLDER, 'record-lexicons.json')

const folder = mkdtempSync(join(tmpdir(), 'slipstream-lexicons-'))
const union = unionOf(pinnedPackages(), npmRegistry(), folder)
rmSync(folder, { recursive: true })
const documents = new Map(union.map((lexicon) => [lexicon.id, lexicon as Json]))
const ownLexicons = loadLexicons()
const reached = new Map<string, Set<string>>()

function reach(id: string, name: string): void {
  const names = reached.get(id) ?? new Set()
  if (names.has(name)) return
  reached.set(id, names.add(name))
  const definition = (documentOf(id)?.['defs'] as Json | undefined)?.[name]
  if (!definition) throw new Error(`${id}#${name} is neither in the packages nor in lexicons/`)
  reachRefs(id, definition)
}

function documentOf(id: string): Json | undefined {
  return documents.get(id) ?? (ownLexicons.get(id) as Json | undefined)
}

function reachRefs(id: string, node: unknown): void {
  if (typeof node !== 'object' || node === null) return
  const { type, ref, refs } = node as Json
  const pointers = type === 'ref' ? [ref] : type === 'union' ? (refs as unknown[]) : []
  for (const pointer of pointers) {
    const [document, name] = String(pointer).replace('lex:', '').split('#')
    reach(document || id, name || 'main')
  }
  for (const child of Object.values(node)) reachRefs(id, child)
}

function withoutDescriptions(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutDescriptions)
  if (typeof node !== 'object' || node === null) return node
  const filtered = Object.entries(node).filter(
    ([key, value]) => key !== 'description' || typeof value !== 'string',
  )
  return Object.fromEntries(filtered.map(([key, value]) => [key, withoutDescriptions(value)]))
}

/**
 * The validator takes no record inside of a record (site.standard.theme.basic is one). Such a record is an object that
 * says its type.
 */
function asPart(id: string, definition: Json): Json {
  if (definition['type'] !== 'record' || isIndexed(id)) return definition
  const { required = [], properties, ...rest } = definition['record'] as Json
  const $type = { type: 'string', const: id }
  return {
    ...rest,
    required: ['$type', ...(required as string[])],
    properties: { $type, ...(properties as Json) },
  }
}

for (const collection of collections) reach(collection, 'main')
const generated = [...reached.keys()].sort().map((id) => {
  const { lexicon, defs } = documentOf(id) as { lexicon: number; defs: Json }
  const names = [...reached.get(id)!].sort()
  const stored = Object.fromEntries(
    names.map((name) => [name, withoutDescriptions(asPart(id, defs[name] as Json))]),
  )
  return { lexicon, id, defs: stored }
})
writeFileSync(RECORDS, JSON.stringify(generated, null, 2))
execFileSync('biome', ['format', '--write', RECORDS], { stdio: 'inherit' })
const lines = union.map((lexicon) => JSON.stringify(lexicon))
writeFileSync(OFFICIAL, `[\n${lines.join(',\n')}\n]\n`)
console.log(`${OFFICIAL}: ${lines.length} lexicons`)
console.log(`${RECORDS}: ${generated.length} lexicons`)
