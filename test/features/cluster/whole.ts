// What tests of the whole must know of nodes that share.

import type { WholeOf } from '../../support/wholes.ts'

export const whole: WholeOf = {
  storedTables: {},
  wiring: ['features/cluster/sharing'],
}
