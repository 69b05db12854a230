import { defineConfig } from 'vitest/config'
import { createSecondTries } from './test/support/second-tries.ts'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/e2e/**'],
    pool: 'forks',
    globalSetup: 'test/support/temp-folder.ts',
    // Made for two cores. Tests wait for timers and disks a fifth of their time, which a third one uses.
    maxWorkers: 3,
    // Bounds for what hangs: no test depends on how fast a machine is, or on what else it does.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // In CI a test that fails is tried once more, and named at the end (second-tries.ts).
    retry: process.env['CI'] ? 1 : 0,
    reporters: ['default', createSecondTries()],
    teardownTimeout: 120_000,
    expect: { poll: { timeout: 300_000, interval: 20 } },
  },
})
