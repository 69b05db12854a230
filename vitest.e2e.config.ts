import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/e2e/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    pool: 'forks',
    // Each file has a network of its own, on ports that nobody else has.
    maxWorkers: 2,
    // Generous: a machine may be busy with something else.
    testTimeout: 600_000,
    // Where the Jetstream server has yet to be built.
    hookTimeout: 600_000,
    teardownTimeout: 120_000,
  },
})
