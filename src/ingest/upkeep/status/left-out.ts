// Logs strangers' data that was left out because applying it failed unexpectedly: our own bug and worth a
// report, logged once a minute however often such data arrives.

import type { Logger } from '../../../base/obs/log.ts'
import { MINUTE_MS } from '../../../base/util/durations.ts'
import { createGate } from '../../../base/util/gate.ts'

export function tellLeftOut(log: Pick<Logger, 'error'>): (error: unknown) => void {
  const mayTell = createGate(MINUTE_MS)
  let count = 0
  return (error) => {
    count += 1
    if (!mayTell()) return
    log.error(
      { err: error, count },
      'a stranger’s record could not be applied and is skipped: please report this',
    )
    count = 0
  }
}
