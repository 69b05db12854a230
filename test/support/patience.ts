// How long a test waits for something that must happen: a bound for hangs, not a measure of speed, since the
// machine may be busy with other work. Shorter than a test's own timeout (vitest.config.ts), so that the
// failure says what it waited for.

export const MAX_WAIT_MS = 240_000
