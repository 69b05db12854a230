// What programs' timelines hold, for the tests of all tables.

import { storeCursor } from '../../../src/features/timelines/store/timeline-cursors.ts'
import { most, nobody, private_ } from '../../support/stored-tables/entry.ts'
import type { CompleteOf } from '../../support/wholes.ts'

export const whole: CompleteOf = {
  live(world, { did }) {
    const position = { isForward: true, at: [1] }
    world.run(({ db, now }) =>
      storeCursor(db, { uid: world.uid(did), token: '' }, { timeline: 'custom:a', position, now }),
    )
  },
  storedTables: {
    timeline_cursors: private_(
      most(
        'member',
        64,
        400,
        'src/features/timelines/store/timeline-cursors.ts',
        'member: { rows: 64, bytes: 16_384 }',
      ),
      '90 days after it was stored',
    ),
    service_tokens: nobody(
      most(
        'server',
        1_000,
        10_000,
        'src/features/timelines/writing/tokens.ts',
        'MAX_TOKENS = 1_000',
      ),
      'for ever',
    ),
    custom_timelines: nobody(
      most('server', 10_000, 200, 'src/features/timelines/writing/append.ts', 'timelines: 10_000'),
      'for ever',
    ),
    custom_events: nobody(
      most('timeline', 1, 64 << 20, 'src/features/timelines/writing/append.ts', 'bytes: 64 << 20'),
      '90 days',
    ),
    custom_producers: nobody(
      most('timeline', 1_000, 400, 'src/features/timelines/writing/append.ts', 'producers: 1_000'),
      'for ever',
    ),
    custom_holes: nobody(
      most(
        'timeline',
        2_000,
        800,
        'src/features/timelines/store/programs/custom-numbers.ts',
        'MAX_GIVEN_UP = 1_000',
      ),
      'its events are dropped',
    ),
    custom_keys: nobody(
      most('server', 5_000_000, 128, 'src/features/timelines/writing/append.ts', 'keys: 5_000_000'),
      'a day',
    ),
    custom_graphs: nobody(
      most('server', 1_000, 400, 'src/features/timelines/writing/edit-graph.ts', 'graphs: 1_000'),
      'the program deletes it',
    ),
    custom_graph_edges: nobody(
      most(
        'server',
        20_000_000,
        40,
        'src/features/timelines/writing/edit-graph.ts',
        'allEdges: 20_000_000',
      ),
      'the program removes it',
    ),
    custom_graph_accounts: nobody(
      most(
        'server',
        40_000_000,
        600,
        'src/features/timelines/writing/edit-graph.ts',
        'allEdges: 20_000_000',
      ),
      'its last follow is removed',
    ),
    signing_keys: nobody('a few rows of the server’s own', 'it is replaced'),
    shared_timelines: nobody('one row for each timeline of a program', 'for ever'),
  },
  wiring: ['features/timelines/service', 'features/timelines/serve'],
}
