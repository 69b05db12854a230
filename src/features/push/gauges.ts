// What the main serving thread reports about pushes: their outcomes since the start, and how many wait.

export const gauges = [
  'push.sent',
  'push.gone',
  'push.refused',
  'push.failed',
  'push.dropped',
  'push.pending',
] as const
