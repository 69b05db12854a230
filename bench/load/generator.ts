// The load generator's process: gets one plan after another by message, runs it, and reports. It is
// its own process so that the server's time is measured without it, and so that nothing that the
// server does can hold up the clock that its latencies are measured with.

import { runLoad } from './loops.ts'
import type { LoadMessage, LoadPlan } from './types.ts'

process.on('message', (plan: LoadPlan) => void run(plan))
process.on('disconnect', () => process.exit(0))

async function run(plan: LoadPlan): Promise<void> {
  try {
    const report = await runLoad(plan, {
      onMeasuring: () => tell({ kind: 'measuring' }),
      onMeasured: () => tell({ kind: 'measured' }),
    })
    tell({ kind: 'report', report })
  } catch (error) {
    tell({ kind: 'failed', message: (error as Error).message })
  }
}

function tell(message: LoadMessage): void {
  process.send!(message)
}
