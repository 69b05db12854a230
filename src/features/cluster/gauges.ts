// What a serving thread reports about the state that it shares with other nodes.

import { loadGauges } from './bucket-load.ts'

export const gauges = [
  'cluster.bucketsHeld',
  'cluster.bucketsGained',
  'cluster.bucketsLost',
  'cluster.engineFallbacks',
  'cluster.homesUsed',
  'cluster.homesUnused',
  'cluster.guestTimelines',
  ...loadGauges,
] as const
