import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'
import { createSecondTries } from './test/support/second-tries.ts'

const APART = ['**/node_modules/**', 'test/e2e/**']

/**
 * Files that load most of the server. They share a few processes, which saves each a second of processor time: the
 * modules are loaded, and a database is migrated. What they may not leave there: test/support/left-behind.ts.
 */
const TOGETHER = [
  'answers',
  'data/store',
  'features/dataplane',
  'features/timelines',
  'features/verification',
  'http/overload',
  'http/server',
  'http/xrpc',
  'ingest',
  'sources',
].map((room) => `test/${room}/**/*.test.ts`)

/** Of these, the ones that measure their process. */
const MEASURING = [
  'test/answers/skeleton/op-thread.test.ts',
  'test/data/store/files/trim-malloc.test.ts',
  'test/features/timelines/http/queue.test.ts',
  'test/http/server/asset-files.test.ts',
  'test/ingest/labels/hostile-labelers.test.ts',
]

export default defineConfig({
  test: {
    pool: 'forks',
    globalSetup: ['test/support/temp-folder.ts', 'test/support/bundle.ts'],
    // Made for two cores. Tests wait for timers, disks and other processes more than half of their time.
    maxWorkers: 5,
    sequence: { sequencer: LongestFirst },
    // Bounds for what hangs: no test depends on how fast a machine is, or on what else it does.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    // In CI a test that fails is tried once more, and named at the end (second-tries.ts).
    retry: process.env['CI'] ? 1 : 0,
    reporters: ['default', createSecondTries()],
    teardownTimeout: 120_000,
    expect: { poll: { timeout: 300_000, interval: 20 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'alone',
          include: ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'],
          exclude: [...APART, ...TOGETHER],
        },
      },
      { extends: true, test: { name: 'measuring', include: MEASURING } },
      {
        extends: true,
        test: {
          name: 'together',
          include: TOGETHER,
          exclude: [...APART, ...MEASURING],
          isolate: false,
          setupFiles: 'test/support/left-behind.ts',
        },
      },
    ],
  },
})
