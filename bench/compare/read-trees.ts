// The arguments of the comparisons: another tree to compare this one with, and options.

import { join, resolve } from 'node:path'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { readArguments } from '../../src/tools/script-usage.ts'

const HERE = join(import.meta.dirname, '../..')

/**
 * Prints the usage and exits on --help, or if the arguments are wrong: options whose default is a
 * number take one above 0. `trees` ends with this one.
 */
export function readTrees<Options extends NonNullable<ParseArgsConfig['options']>>(
  usage: string,
  options: Options,
) {
  return readArguments(usage, (args) => {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options })
    for (const [name, { default: usual }] of Object.entries(options)) {
      const value = (values as Record<string, unknown>)[name]
      const isCount = typeof usual === 'string' && /^\d+$/.test(usual)
      if (isCount && !(Number(value) > 0)) throw new Error(`--${name} takes a number above 0.`)
    }
    const [other] = positionals
    if (!other) throw new Error('Name the tree to compare with.')
    return { values, trees: [resolve(other), HERE] as [string, string] }
  })
}
