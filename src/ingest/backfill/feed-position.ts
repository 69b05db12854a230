// Where an author's older records are, as the text of a row: the server's cursor as it is, or behind a space
// what a server of another order needs.

import { isObject, parseJson } from '../../base/util/json-object.ts'
import type { Position } from '../../sources/pds/walk.ts'

export function textOfPosition(position: Position | undefined): string | undefined {
  if (position === undefined) return undefined
  return 'cursor' in position ? position.cursor : ` ${JSON.stringify(position)}`
}

export function positionOfText(text: string): Position {
  const parsed = text.startsWith(' ') ? parseJson(text) : undefined
  if (!isObject(parsed)) return { cursor: text }
  const { reversed, pages, below } = parsed
  if (typeof below === 'string') return { below }
  if (typeof reversed === 'string') return { reversed }
  if (!Array.isArray(pages)) return { cursor: text }
  return { pages: pages.filter((page) => typeof page === 'string') }
}
