// What else the machine does before and after a benchmark: figures of a busy machine are thrown away.

import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

const LOOKED_FOR_MS = 500
const BUSY_SHARE = 0.1

type Jiffies = { all: number; idle: number }

/** While nothing of ours runs. @returns what to say of it; undefined where the machine is idle, or cannot be asked */
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
