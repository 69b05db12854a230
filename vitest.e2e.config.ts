import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/e2e/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    pool: 'forks',
    maxWorkers: 1,
    // Generous: a machine may be busy with something else.
    testTimeout: 180_000,
    // Where the Jetstream server has yet to be built.
    hookTimeout: 600_000,
  },
})
