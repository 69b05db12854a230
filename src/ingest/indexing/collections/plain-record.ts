// What the rules of all types with a plain table share: writing a record's row, unless the same is there, and removing
// rows. Which records are kept, and when a stored one is dropped, is each type's own.

import { keysIn } from '../../../data/store/fetching/stored-keys.ts'
import type { Named, RecordRow, RecordRows } from '../../../data/store/records/record-rows.ts'
import { type PlainTable, plainTables } from '../../../data/store/records/record-tables.ts'
import {
  type IndexContext,
  internCreator,
  type Outcome,
  type RecordRemoval,
  type RecordWrite,
  sortAtOf,
} from '../index-context.ts'
import { storeUnusualRelation } from '../records/reaction-record.ts'
import type { CollectionRules } from './collection-rules.ts'

type PlainRecord<Table extends PlainTable> = {
  /** Stores a record that is kept. @param named - makes rows for what it names; called after its creator has one */
  put(ctx: IndexContext, write: RecordWrite, named: () => Named<Table>): Outcome
  rules: Required<Pick<CollectionRules, 'remove' | 'removeSome' | 'removeAll' | 'storedKeys'>>
}

/** @param onRemoved - what else happens when a row is gone, except when all of its account go */
export function plainRecord<Table extends PlainTable>(
  rows: RecordRows<Table>,
  onRemoved: (ctx: IndexContext, row: RecordRow<Table>) => void = () => undefined,
): PlainRecord<Table> {
  const { collection, names } = plainTables[rows.table]
  const columns = Object.keys(names) as (keyof Named<Table>)[]

  function drop(ctx: IndexContext, { uid, rkey }: Pick<RecordRemoval, 'uid' | 'rkey'>): boolean {
    const row = rows.remove(ctx.db, uid, rkey)
    if (row) onRemoved(ctx, row)
    return row !== undefined
  }

  /** A listing without a rev says nothing new about the time. */
  function isSame(existing: RecordRow<Table>, row: RecordRow<Table>, write: RecordWrite): boolean {
    if (columns.some((column) => existing[column] !== row[column])) return false
    return existing.sort_at === row.sort_at || write.rev === undefined
  }

  return {
    put(ctx, write, named) {
      const uid = internCreator(ctx, write)
      const row: RecordRow<Table> = { ...named(), uid, rkey: write.rkey, sort_at: sortAtOf(write) }
      const existing = rows.find(ctx.db, uid, write.rkey)
      if (existing && isSame(existing, row, write)) return 'duplicate'
      if (existing) drop(ctx, existing)
      rows.insert(ctx.db, row)
      storeUnusualRelation(ctx, { ...write, uid, collection }, row.sort_at)
      return 'applied'
    },
    rules: {
      remove: drop,
      removeSome(ctx, uid, limit) {
        const page = rows.page(ctx.db, uid, { after: '', limit })
        for (const row of page) drop(ctx, row)
        return page.length
      },
      removeAll: (ctx, uid) => void rows.removeAll(ctx.db, uid),
      storedKeys: keysIn(rows.table),
    },
  }
}
