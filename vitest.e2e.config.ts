import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'
import { createSecondTries } from './test/support/second-tries.ts'

export default defineConfig({
  test: {
    include: ['test/e2e/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    pool: 'forks',
    globalSetup: ['test/support/temp-folder.ts', 'test/support/bundle.ts'],
    // Each file has a network of its own, on ports that nobody else has.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    // Generous: a machine may be busy with something else.
    testTimeout: 900_000,
    // As in vitest.config.ts.
    retry: process.env['CI'] ? 1 : 0,
    reporters: ['default', createSecondTries()],
    // Where the Jetstream server has yet to be built.
    hookTimeout: 900_000,
    teardownTimeout: 120_000,
  },
})
