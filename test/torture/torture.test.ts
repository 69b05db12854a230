// A short run of the fault harness: Slipstream as a process that is killed, cut off and lied to while a
// seeded network writes. `npm run torture` runs the long one.

import { expect, test } from 'vitest'
import type { FaultKind } from '../support/torture/plan.ts'
import { runSeed } from '../support/torture/run.ts'

const KINDS: FaultKind[] = [
  'kill',
  'cut',
  'rewind',
  'reorder',
  'switch-host',
  'torn-snapshot',
  'clock-back',
  'pds-redirect-loopback',
]

test.each([1, 2])(
  'no record is lost and none is duplicated, whatever strikes (seed %i)',
  async (seed) => {
    const report = await runSeed(seed, { events: 450, faults: 4, kinds: KINDS })
    const messages = report.differences.map(({ what, about, expected, got, history }) => {
      return JSON.stringify({ seed, what, about, expected, got, history }, undefined, 2)
    })
    expect(messages).toEqual([])
    expect(report.compared).toBeGreaterThan(500)
  },
)
