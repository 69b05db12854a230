// Every fault, by name: its effect, and how it ends. The next fault waits until it has.

import { diskFaults } from './disk-faults.ts'
import type { Dependencies, Fault } from './fault.ts'
import { lieFaults } from './lie-faults.ts'
import { pdsFaults } from './pds-faults.ts'
import type { FaultKind, PlannedFault } from './plan.ts'
import { processFaults } from './process-faults.ts'
import { strangerFaults } from './stranger-faults.ts'
import { streamFaults } from './stream-faults.ts'

const faults = {
  ...processFaults,
  ...diskFaults,
  ...streamFaults,
  ...pdsFaults,
  ...strangerFaults,
  ...lieFaults,
} satisfies Record<FaultKind, Fault>

export function strike(parts: Dependencies, planned: PlannedFault): Promise<void> {
  return faults[planned.kind](parts, planned)
}
