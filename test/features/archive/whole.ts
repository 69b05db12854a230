// What a start from the archive holds, for the tests of all tables.

import { nobody } from '../../support/stored-tables/entry.ts'
import type { CompleteOf } from '../../support/wholes.ts'

export const whole: CompleteOf = {
  storedTables: { archives: nobody('a few rows of the server’s own', 'it is replaced') },
}
