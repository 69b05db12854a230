// Reads what the model needs from the figures that were kept of earlier runs.

import { readFigures, type SavedFigures } from '../saved-figures.ts'

/**
 * @param names - of figures, by what they are called here
 * @throws naming the figures that were never saved in any of the files
 */
export function readSaved<Name extends string>(
  paths: readonly string[],
  names: Readonly<Record<Name, string>>,
): Record<Name, number> {
  const figures = Object.assign({}, ...paths.map(readFigures)) as SavedFigures
  const asked = Object.entries<string>(names)
  const missing = asked.flatMap(([, figure]) => (figures[figure] === undefined ? [figure] : []))
  if (missing.length > 0) {
    const [path] = paths
    throw new Error(`no ${missing.join(', ')} yet: npm run bench -- NAME --save ${path}`)
  }
  const entries = asked.map(([name, figure]) => [name, figures[figure]!.value])
  return Object.fromEntries(entries) as Record<Name, number>
}
