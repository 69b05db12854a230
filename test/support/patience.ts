// How long a test waits for what must come: a bound for what hangs, and no judgement of how fast a machine is,
// which may have many other things to do. Shorter than a test's own limit (vitest.config.ts), so that what was
// waited for is told.

export const MAX_WAIT_MS = 150_000
