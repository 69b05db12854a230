// What tests of the whole must know of programs' timelines.

import type { WholeOf } from '../../support/wholes.ts'

export const whole: WholeOf = {
  storedTables: {},
  wiring: ['features/timelines/service', 'features/timelines/serve'],
}
