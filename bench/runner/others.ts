// Checks for other load on the machine before and after a benchmark: figures from a busy machine are
// discarded.

import { setTimeout } from 'node:timers/promises'
import { readMachineTimes } from '../world/proc-stat.ts'

const LOOKED_FOR_MS = 500
const BUSY_SHARE = 0.1

/**
 * Call while none of our processes run.
 * @returns a description of the load; undefined if the machine is idle or cannot be queried
 */
export async function busyWithOthers(): Promise<string | undefined> {
  const before = readMachineTimes()
  if (!before) return undefined
  await setTimeout(LOOKED_FOR_MS)
  const after = readMachineTimes()!
  const share = 1 - (after.idle - before.idle) / (after.all - before.all)
  if (share <= BUSY_SHARE) return undefined
  return `the machine was busy with something else (${Math.round(share * 100)} %)`
}
