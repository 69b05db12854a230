// Facts about a method's requests from its lexicon: which values are wrong, and how it is paged.

import { schemas } from '@atproto/api'
import type { Params } from './ask.ts'
import { ownLexicons } from './own-lexicons.ts'

type Property = {
  type: string
  format?: string
  minimum?: number
  maximum?: number
  maxLength?: number
  items?: Property
}
type Schema = { required?: string[]; properties?: Record<string, Property> }
type Main = {
  type: string
  parameters?: Schema
  input?: { schema?: Schema }
  output?: { schema?: Schema }
}

export type Facts = {
  isPaged: boolean
  /** The maximum of `limit`; 0 if it has none. */
  maxLimit: number
  /** The first array in its output. */
  list: string | undefined
  /** Each valid request with one thing made wrong, and the name of the error. */
  wrong(right: Params): [string, Params][]
}

const all = [...schemas, ...ownLexicons] as unknown as {
  id: string
  defs: { main?: Main }
}[]

export function factsOf(nsid: string): Facts {
  const main = all.find(({ id }) => id === nsid)?.defs.main
  if (!main) throw new Error(`${nsid} has no lexicon`)
  const schema = (main.type === 'procedure' ? main.input?.schema : main.parameters) ?? {}
  const output = main.output?.schema?.properties ?? {}
  const properties = schema.properties ?? {}
  const list = Object.keys(output).find((name) => output[name]?.type === 'array')
  return {
    isPaged: main.type === 'query' && 'cursor' in properties && 'cursor' in output,
    maxLimit: properties['limit']?.maximum ?? 0,
    list,
    wrong(right) {
      const wrongs = Object.entries(properties).flatMap(([name, property]) =>
        wrongValues(property, right[name]).map(
          (value) =>
            [`${name}=${JSON.stringify(value)}`.slice(0, 60), { ...right, [name]: value }] as [
              string,
              Params,
            ],
        ),
      )
      for (const name of schema.required ?? []) {
        const { [name]: _, ...rest } = right
        wrongs.push([`no ${name}`, rest])
      }
      return wrongs
    },
  }
}

function wrongValues(property: Property, right: unknown): unknown[] {
  const { type, format, minimum, maximum, maxLength, items } = property
  const wrong: unknown[] = []
  if (type === 'integer') {
    wrong.push('ten')
    if (minimum !== undefined) wrong.push(minimum - 1)
    if (maximum !== undefined) wrong.push(maximum + 1)
  }
  if (type === 'string' && format && format !== 'language') wrong.push('not one!')
  if (type === 'array' && items?.format && items.format !== 'language') wrong.push(['not one!'])
  if (type === 'array' && maxLength !== undefined && Array.isArray(right)) {
    wrong.push(Array.from({ length: maxLength + 1 }, () => right[0]))
  }
  return wrong
}
