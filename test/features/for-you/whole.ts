// What For You holds about an account, for the tests of all tables.

import { most, private_ } from '../../support/stored-tables/entry.ts'
import type { CompleteOf } from '../../support/wholes.ts'

const READERS = 'src/features/for-you/store/readers.ts'

export const whole: CompleteOf = {
  live(world, { did }) {
    world.request({ id: 1, did, kind: 'for-you/seen', body: { posts: [1, 2] } })
    world.request({ id: 1, did, kind: 'for-you/less', body: { author: did, times: 1 } })
  },
  storedTables: {
    for_you_seen: private_(most('member', 1, 8_000, READERS, 'MAX_SEEN = 2000')),
    for_you_less: private_(most('member', 500, 40, READERS, 'MAX_LESS = 500')),
  },
}
