// What pushes hold about an account, for the tests of all tables.

import { most, nobody, private_ } from '../../support/stored-tables/entry.ts'
import type { CompleteOf } from '../../support/wholes.ts'

export const whole: CompleteOf = {
  live(world, { did }) {
    const keys = { p256dh: 'key', auth: 'auth', appId: 'app' }
    const body = { endpoint: `https://push.test/${did}`, ...keys }
    world.request({ id: 1, did, kind: 'push/register', body })
    const hours = { starts: 1_320, ends: 420, timeZone: 'Europe/Berlin' }
    world.request({ id: 2, did, kind: 'push/quiet-hours', body: { hours } })
  },
  storedTables: {
    push_registrations: private_(
      most('member', 10, 3_000, 'src/features/push/store/registrations.ts', 'MAX_DEVICES = 10'),
    ),
    push_quiet_hours: private_(
      most(
        'member',
        1,
        60,
        'src/features/push/store/068-quiet-hours.ts',
        'uid INTEGER PRIMARY KEY',
      ),
    ),
    push_state: nobody('a few rows of the server’s own', 'it is replaced'),
  },
}
