// Timing for single-threaded benchmarks: processor time of this process, best of several runs, to separate
// the measured code from other work on the machine.

import { readFileSync } from 'node:fs'

const RUNS = 5

/** Nanoseconds of processor time per operation. */
export function bestNs(operations: number, run: () => void, runs: number = RUNS): number {
  let best = Infinity
  for (let i = 0; i < runs; i++) best = Math.min(best, onceNs(operations, run))
  return best
}

/** Like `bestNs`, but runs once, for work that can't be repeated. */
export function onceNs(operations: number, run: () => void): number {
  const before = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(before)
  return ((user + system) * 1000) / operations
}

/** Benchmarks store their results here to prevent the optimiser from removing the work. */
export const sink = { value: 0 }

const TICKS_PER_S = 100

/**
 * Processor time of another process since its start, including ended threads, to the precision of
 * the kernel's ticks.
 */
export function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S
}
