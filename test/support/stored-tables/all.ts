// The entry of every table. The test beside it (test/data/store/stored-tables.test.ts) checks each against a
// world where an account has left a row wherever it can.

import { wholes } from '../wholes.ts'
import type { StoredTable } from './entry.ts'
import { notes } from './notes.ts'
import { operators, own } from './others.ts'
import { privateState } from './private-state.ts'
import { records } from './records.ts'

export const storedTables: Readonly<Record<string, StoredTable>> = {
  ...records,
  ...privateState,
  ...notes,
  ...operators,
  ...own,
  ...Object.assign({}, ...wholes.map((whole) => whole.storedTables)),
}
