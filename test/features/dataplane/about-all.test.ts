// What is stored about accounts that are no members, because a frontend may ask for them.

import { expect, test } from 'vitest'
import { loadConfig } from '../../../src/base/config/config.ts'
import { aboutAllOf, loadIngestFeatures } from '../../../src/ingest/feature.ts'

const INTERFACE = { SLIPSTREAM_DATAPLANE_PORT: '3001', SLIPSTREAM_INDEX_SCOPE: 'network' }

test.each([
  ['nothing without the interface', {}, { notificationDays: 0, revs: false }],
  ['revs for the interface', INTERFACE, { notificationDays: 0, revs: true }],
  [
    'notifications for as many days as the operator says',
    { ...INTERFACE, SLIPSTREAM_DATAPLANE_NOTIFICATION_DAYS: '30' },
    { notificationDays: 30, revs: true },
  ],
])('%s', async (_, env, expected) => {
  const config = loadConfig(env as Record<string, string>, 'no-such-file')
  expect(aboutAllOf(await loadIngestFeatures(), config)).toEqual(expected)
})
