// Faults of the process and of the computer's clock.

import { MINUTE_MS } from '../../../src/base/util/durations.ts'
import { type Fault, pick } from './fault.ts'
import { sleep } from './sleep.ts'

const SKEWS_MS = [2, 20, 90, 26 * 60].map((minutes) => minutes * MINUTE_MS)

export const processFaults = {
  kill: async ({ subject }, { forMs }) => {
    await subject.stop('SIGKILL')
    await sleep(forMs)
    await subject.start()
  },
  'kill-at-start': async ({ subject }, { forMs, dice }) => {
    await subject.stop('SIGKILL')
    for (let i = 0; i < 2; i++) {
      subject.launch()
      await sleep(300 + forMs * (i + dice))
      await subject.stop('SIGKILL')
    }
    await subject.start()
  },
  terminate: async ({ subject }, { forMs }) => {
    const code = await subject.stop('SIGTERM')
    if (code !== 0) throw new Error(`SIGTERM ended it with ${code}:\n${subject.output()}`)
    await sleep(forMs)
    await subject.start()
  },
  'clock-ahead': (parts, planned) => skewClock(parts, planned, 1),
  'clock-back': (parts, planned) => skewClock(parts, planned, -1),
} satisfies Record<string, Fault>

/**
 * Sometimes the process is killed and restarts while the clock is wrong; the clock is corrected
 * later.
 */
async function skewClock(
  { subject }: Parameters<Fault>[0],
  { forMs, dice }: Parameters<Fault>[1],
  sign: 1 | -1,
): Promise<void> {
  subject.setClock(sign * pick(SKEWS_MS, dice))
  await sleep(forMs)
  if ((dice * 8) % 1 > 0.6) {
    await subject.stop('SIGKILL')
    await subject.start()
    await sleep(forMs)
  }
  subject.setClock(0)
}
