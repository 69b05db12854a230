// The order of files in a run: those that take a minute or more are begun first, since one that is begun last would
// keep one core waiting for the other. Of a fresh checkout, vitest knows only how long the sources are.

import { BaseSequencer, type TestSpecification } from 'vitest/node'

const LONGEST = [
  'e2e/first-minute.test.ts',
  'e2e/real-network.test.ts',
  'e2e/kill-during-ingest.test.ts',
  'docs/running.test.ts',
  'features/media/player.test.ts',
  'cluster/engine/cassandra.test.ts',
  'torture/costly.test.ts',
  'e2e/moderation-decisions.test.ts',
  'features/off-site/machine-lost.test.ts',
  'strangers/unknown-subjects.test.ts',
  'e2e/dataplane.test.ts',
  'security/linear-records.test.ts',
  'test/core-alone.test.ts',
  'bench/small-benches.test.ts',
  'e2e/other-pds.test.ts',
  'read/for-everybody.test.ts',
  'answers/views/reference.test.ts',
  'answers/cache/history.test.ts',
  'security/linear-requests.test.ts',
  'test/process.test.ts',
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return [...sorted].sort((a, b) => position(a) - position(b))
  }
}

function position({ moduleId }: TestSpecification): number {
  const found = LONGEST.findIndex((name) => moduleId.endsWith(name))
  return found === -1 ? LONGEST.length : found
}
