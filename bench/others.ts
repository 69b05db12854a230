// Checks for other load on the machine before and after a benchmark: figures from a busy machine are
// discarded.

import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

const LOOKED_FOR_MS = 500
const BUSY_SHARE = 0.1

type Jiffies = { all: number; idle: number }

/**
 * Call while none of our processes run.
 * @returns a description of the load; undefined if the machine is idle or cannot be queried
 */
export async function busyWithOthers(): Promise<string | undefined> {
  const before = readJiffies()
  if (!before) return undefined
  await setTimeout(LOOKED_FOR_MS)
  const after = readJiffies()!
  const share = 1 - (after.idle - before.idle) / (after.all - before.all)
  if (share <= BUSY_SHARE) return undefined
  return `the machine was busy with something else (${Math.round(share * 100)} %)`
}

/** proc_stat(5): user, nice, system, idle, iowait, irq, softirq, steal. */
function readJiffies(): Jiffies | undefined {
  try {
    const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
    const [user, nice, system, idle, wait, irq, softirq, steal] = line
      .split(/\s+/)
      .slice(1)
      .map(Number)
    const idleOnes = idle! + wait!
    return { idle: idleOnes, all: user! + nice! + system! + idleOnes + irq! + softirq! + steal! }
  } catch {
    return undefined
  }
}
