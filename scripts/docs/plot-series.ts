// A line of a plot, from figures whose names differ only in one number.

import type { SavedFigures } from '../../bench/runner/saved-figures.ts'
import type { Series } from './line-plot.ts'

/** `<before>2000<after>` is a point at 2,000, and `<before>1e6<after>` one at a million. */
export function series(
  figures: SavedFigures,
  name: string,
  { before, after }: { before: string; after: string },
): Series {
  const points = Object.entries(figures).flatMap(([key, { value }]) => {
    if (!key.startsWith(before) || !key.endsWith(after)) return []
    const size = key.slice(before.length, -after.length)
    return /^\d+(e\d)?$/.test(size) ? [[Number(size), value] as const] : []
  })
  return { name, points: points.sort(([a], [b]) => a - b) }
}

/** The figures `<group>.<size>.<figure>`. */
export function bySize(
  figures: SavedFigures,
  name: string,
  { group, figure }: { group: string; figure: string },
): Series {
  return series(figures, name, { before: `${group}.`, after: `.${figure}` })
}
