// What pushes hold about an account, for the tests of all tables.

import { most, nobody, private_ } from '../../support/stored-tables/entry.ts'
import type { WholeOf } from '../../support/wholes.ts'

export const whole: WholeOf = {
  live(world, { did }) {
    const keys = { p256dh: 'key', auth: 'auth', appId: 'app' }
    const body = { endpoint: `https://push.test/${did}`, ...keys }
    world.request({ id: 1, did, kind: 'push/register', body })
  },
  storedTables: {
    push_registrations: private_(
      most('member', 10, 3_000, 'src/features/push/store/registrations.ts', 'MAX_DEVICES = 10'),
    ),
    push_state: nobody('a few rows of the server’s own', 'it is replaced'),
  },
}
