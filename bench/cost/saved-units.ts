// Reads the model's inputs from the figures saved by earlier runs.

import { readFigures, type SavedFigures } from '../runner/saved-figures.ts'

/**
 * @param names - figure names, by the caller's name for each
 * @throws naming the figures that are missing from every file
 */
export function readSaved<Name extends string>(
  paths: readonly string[],
  names: Readonly<Record<Name, string>>,
): Record<Name, number> {
  const figures = Object.assign({}, ...paths.map(readFigures)) as SavedFigures
  const requested = Object.entries<string>(names)
  const missing = requested.flatMap(([, figure]) => (figures[figure] === undefined ? [figure] : []))
  if (missing.length > 0) {
    const [path] = paths
    throw new Error(`missing ${missing.join(', ')}: run npm run bench -- NAME --save ${path}`)
  }
  const entries = requested.map(([name, figure]) => [name, figures[figure]!.value])
  return Object.fromEntries(entries) as Record<Name, number>
}
