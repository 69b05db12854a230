// What the dataplane interface holds about an account, for the tests of all tables.

import { most, private_ } from '../../support/stored-tables/entry.ts'
import type { CompleteOf } from '../../support/wholes.ts'

const OPERATIONS = 'src/features/dataplane/store/bsync-operations.ts'

export const whole: CompleteOf = {
  live(world, { did }) {
    const operation = { stream: 'others', namespace: 'test', operation: Buffer.from(did) }
    world.request({ id: 1, did, kind: 'dataplane/log-operation', body: operation })
    const age = { status: 'assured', access: null, initiatedAt: null }
    world.request({ id: 1, did, kind: 'dataplane/age-assurance', body: age })
  },
  storedTables: {
    age_assurance: private_(
      'one row for an account that an official AppView names',
      'it says otherwise',
    ),
    bsync_operations: private_(
      most('server', 50_000, 1 << 20, OPERATIONS, 'MAX_OPERATIONS = 50_000'),
      'newer ones take its place',
    ),
  },
}
