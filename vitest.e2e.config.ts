import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { createSecondTries } from './test/support/second-tries.ts'

/** Begun last, one of them would keep one core waiting for the other; vitest knows only how long their files are. */
const LONGEST = ['real-network.test.ts', 'first-minute.test.ts']

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) =>
      LONGEST.some((name) => moduleId.endsWith(name))
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

export default defineConfig({
  test: {
    include: ['test/e2e/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    pool: 'forks',
    globalSetup: 'test/support/temp-folder.ts',
    // Each file has a network of its own, on ports that nobody else has.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    // Generous: a machine may be busy with something else.
    testTimeout: 600_000,
    // As in vitest.config.ts.
    retry: process.env['CI'] ? 1 : 0,
    reporters: ['default', createSecondTries()],
    // Where the Jetstream server has yet to be built.
    hookTimeout: 600_000,
    teardownTimeout: 120_000,
  },
})
