// The lexicons in a package, in one form: without descriptions, references absolute, as @atproto/api has them. A package
// has them as files in `lexicons/`, or generated into code as a literal, which is read without running it.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Expression, type Program, parse } from 'acorn'

export type Json = { [key: string]: unknown }
export type Lexicon = { lexicon: number; id: string; defs: { [name: string]: Json } }

const CODE = 'dist/client/lexicons.js'
const DATA = 'lexicons'

/** @throws Error if the package has lexicons in neither form */
export function lexiconsIn(folder: string): Lexicon[] {
  const found = readData(join(folder, DATA)) ?? readCode(join(folder, CODE))
  if (!found) throw new Error(`${folder} has no lexicons: neither ${DATA}/ nor ${CODE}`)
  return found
    .map((lexicon) => plain(lexicon, lexicon.id) as Lexicon)
    .sort((a, b) => (a.id < b.id ? -1 : 1))
}

function readData(path: string): Lexicon[] | undefined {
  if (!existsSync(path)) return undefined
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(path, name), 'utf8')))
}

function readCode(path: string): Lexicon[] | undefined {
  if (!existsSync(path)) return undefined
  const program = parse(readFileSync(path, 'utf8'), { ecmaVersion: 'latest', sourceType: 'module' })
  const literal = initialOf(program, 'schemaDict')
  return literal && (Object.values(literalValue(literal) as object) as Lexicon[])
}

function initialOf({ body }: Program, name: string): Expression | undefined {
  for (const node of body) {
    if (node.type !== 'ExportNamedDeclaration') continue
    if (node.declaration?.type !== 'VariableDeclaration') continue
    for (const { id, init } of node.declaration.declarations) {
      if (id.type === 'Identifier' && id.name === name && init) return init
    }
  }
  return undefined
}

/** @throws Error for anything that is not data */
function literalValue(node: Expression): unknown {
  switch (node.type) {
    case 'Literal':
      return node.value
    case 'TemplateLiteral':
      return node.quasis[0]?.value.cooked
    case 'UnaryExpression':
      return -(literalValue(node.argument) as number)
    case 'ArrayExpression':
      return node.elements.map((element) => literalValue(element as Expression))
    case 'ObjectExpression':
      return Object.fromEntries(node.properties.map(toEntry))
    default:
      throw new Error(`lexicons in code are no literal: ${node.type} at ${node.start}`)
  }
}

type ObjectLiteral = Extract<Expression, { type: 'ObjectExpression' }>

function toEntry(property: ObjectLiteral['properties'][number]): [string, unknown] {
  if (property.type !== 'Property') throw new Error('lexicons in code spread an object')
  const { key, value } = property
  const name = key.type === 'Identifier' ? key.name : String(literalValue(key as Expression))
  return [name, literalValue(value as Expression)]
}

/** Drops only textual ones: a property may be named `description`, too. */
function plain(node: unknown, id: string): unknown {
  if (Array.isArray(node)) return node.map((item) => plain(item, id))
  if (typeof node !== 'object' || node === null) return node
  const { type } = node as Json
  const entries = Object.entries(node).filter(
    ([key, value]) => key !== 'description' || typeof value !== 'string',
  )
  return Object.fromEntries(
    entries.map(([key, value]) => {
      if (key === 'ref' && type === 'ref') return [key, absolute(value as string, id)]
      if (key === 'refs' && type === 'union') {
        return [key, (value as string[]).map((ref) => absolute(ref, id))]
      }
      return [key, plain(value, id)]
    }),
  )
}

function absolute(ref: string, id: string): string {
  if (ref.startsWith('lex:')) return ref
  return `lex:${ref.startsWith('#') ? `${id}${ref}` : ref}`
}
