// What a serving thread reports about the state that it shares with other nodes.

export const gauges = [
  'cluster.bucketsHeld',
  'cluster.bucketsGained',
  'cluster.bucketsLost',
  'cluster.engineFallbacks',
  'cluster.homesUsed',
  'cluster.homesUnused',
  'cluster.guestTimelines',
] as const
