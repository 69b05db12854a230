// Tables with a row for each record by an account (`uid`). What stands here is all that is said of them: from it follow
// who keeps an account from being swept (removal/unneeded.ts), which keys are compared with the listing of a
// repository (fetching/stored-keys.ts), the statements of plain tables (record-rows.ts), and what tests expect of each.

import type { Collection } from '../../../base/atproto/collections.ts'
import type { INVALIDATION } from '../../shared-memory/invalidation-kinds.ts'

/** What a column names: an account by its uid, or a row by its id. */
type Named = 'account' | 'post' | 'list' | 'record'

type RecordTableShape = { names: Record<string, Named> }

type PlainTableShape = RecordTableShape & {
  collection: Collection
  /** Which views a row is in: invalidations of one id, and the column that has it. None: `{}`. */
  invalidates: { [Kind in keyof typeof INVALIDATION]?: string }
}

/** Tables with the account, the key, what the record names, and `sort_at`. */
export const plainTables = {
  list_items: {
    collection: 'app.bsky.graph.listitem',
    names: { list: 'list', subject: 'account' },
    invalidates: { list: 'list', relations: 'subject' },
  },
  list_blocks: {
    collection: 'app.bsky.graph.listblock',
    names: { list: 'list' },
    invalidates: { relations: 'uid' },
  },
} as const satisfies Record<string, PlainTableShape>

export const recordTables = {
  ...plainTables,
  reposts: { names: { subject: 'post' } },
  lists: { names: {} },
  record_likes: { names: { subject: 'record' } },
} as const satisfies Record<string, RecordTableShape>

export type PlainTable = keyof typeof plainTables
export type RecordTable = keyof typeof recordTables

/** The columns of a table that name something of this kind. */
export function columnsNaming(table: RecordTable, kind: Named): string[] {
  const names: Record<string, Named> = recordTables[table].names
  return Object.keys(names).filter((column) => names[column] === kind)
}
