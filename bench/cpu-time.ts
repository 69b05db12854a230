// Timing for single-threaded benchmarks: processor time of this process, best of several runs, so
// that whatever else the machine does at the time is told apart from what is measured.

import { readFileSync } from 'node:fs'

const RUNS = 5

/** Nanoseconds of processor time per operation. */
export function bestNs(operations: number, run: () => void, runs: number = RUNS): number {
  let best = Infinity
  for (let i = 0; i < runs; i++) best = Math.min(best, onceNs(operations, run))
  return best
}

/** As `bestNs`, run once, for what can't be run again. */
export function onceNs(operations: number, run: () => void): number {
  const before = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(before)
  return ((user + system) * 1000) / operations
}

/** Whatever a benchmark computes goes here, so that it can't be optimised away. */
export const sink = { value: 0 }

const TICKS_PER_S = 100

/** Processor time of another process since it started, of threads that have ended too: as exact as the kernel's ticks. */
export function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S
}
