// What the client's methods hold about an account, for the tests of all tables.

import { most, private_ } from '../../support/stored-tables/entry.ts'
import type { CompleteOf } from '../../support/wholes.ts'

export const whole: CompleteOf = {
  live(world, { did }) {
    const body = { timeline: 'following', position: '1700000000000__bafyreiabc' }
    world.request({ id: 1, did, kind: 'read/position', body })
  },
  storedTables: {
    reading_positions: private_(
      most('member', 50, 3_000, 'src/features/read/store/positions.ts', 'MAX_TIMELINES = 50'),
      'it gives way to others',
    ),
  },
}
