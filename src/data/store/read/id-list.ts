// Passes a set of integers to a statement as JSON text for `json_each(?)`, so that one prepared statement
// serves any number of them.

export type { Db } from '../db.ts'

export function idList(ids: Iterable<number>): string {
  return JSON.stringify(Array.isArray(ids) ? ids : [...ids])
}
