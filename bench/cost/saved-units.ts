// Reads the model's unit costs from the figures that were kept of earlier runs.

import { readFigures, type SavedFigures } from '../saved-figures.ts'
import { type UnitCosts, unitFigures } from './model.ts'

/** @throws naming the figures that were never saved in any of the files. */
export function readUnits(paths: readonly string[]): UnitCosts {
  const figures = Object.assign({}, ...paths.map(readFigures)) as SavedFigures
  const missing = Object.values(unitFigures).filter((name) => figures[name] === undefined)
  if (missing.length > 0) {
    const [path] = paths
    throw new Error(`no ${missing.join(', ')} yet: npm run bench -- NAME --save ${path}`)
  }
  const entries = Object.entries(unitFigures).map(([unit, name]) => [unit, figures[name]!.value])
  return Object.fromEntries(entries) as UnitCosts
}
