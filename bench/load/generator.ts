// The load generator's process: receives plans by message, runs them one after another, and reports. It is a
// separate process so that the server's CPU time excludes it, and so that the server cannot delay the clock
// that measures latencies.

import { runLoad } from './loops.ts'
import { runPromptly } from './prompt.ts'
import type { LoadMessage, LoadPlan } from './types.ts'

runPromptly()
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
