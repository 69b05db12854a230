// What is counted of an account's videos, for the tests of all tables.

import { packRkey } from '../../../src/base/atproto/keys.ts'
import { addVideoWatch } from '../../../src/features/media/store/video-watches.ts'
import { nobody, private_ } from '../../support/stored-tables/entry.ts'
import type { CompleteOf } from '../../support/wholes.ts'

const RKEY = packRkey('3kaaaaaaaaa2a')
const UNTIL = 'SLIPSTREAM_VIDEO_STATS_DAYS'

export const whole: CompleteOf = {
  live(world, { did }) {
    const sums = { day: 1, milliseconds: 1, sessions: 1 }
    world.run(({ db }) => addVideoWatch(db, { uid: world.uid(did), rkey: RKEY, ...sums }))
  },
  wiring: ['features/media/serve', 'features/media/media-routes'],
  storedTables: {
    video_watches: private_('200,000 posts a day, a few numbers each', UNTIL),
    video_days: nobody('one row for each day', UNTIL),
  },
}
