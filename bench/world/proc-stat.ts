// Processor time of the whole machine, as the kernel counts it: proc_stat(5).

import { readFileSync } from 'node:fs'

const TICK_MS = 10

/** Milliseconds since the start of the machine, of all processors together. */
export type MachineTimes = { all: number; idle: number; steal: number }

/** @returns undefined where there is no such file */
export function readMachineTimes(): MachineTimes | undefined {
  try {
    const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
    const ticks = line.split(/\s+/).slice(1).map(Number)
    const [user, nice, system, idle, wait, irq, softirq, steal = 0] = ticks
    const idleOnes = idle! + wait!
    const all = user! + nice! + system! + idleOnes + irq! + softirq! + steal
    return { all: all * TICK_MS, idle: idleOnes * TICK_MS, steal: steal * TICK_MS }
  } catch {
    return undefined
  }
}
