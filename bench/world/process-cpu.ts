// CPU time of another process by thread, from the scheduler.

import { readdirSync, readFileSync } from 'node:fs'

export type CpuSeconds = {
  /** All threads, including garbage collection and compilation. */
  total: number
  /** The main thread, which serves. */
  serving: number
}

/** Nanoseconds on a processor, from the scheduler. Excludes threads that have ended. */
export function readCpu(pid: number): CpuSeconds {
  const nanoseconds = readdirSync(`/proc/${pid}/task`).map((tid) => {
    const [running = '0'] = readIfThere(`/proc/${pid}/task/${tid}/schedstat`).split(' ')
    return { isServing: Number(tid) === pid, time: Number(running) }
  })
  const sum = (chosen: typeof nanoseconds) => chosen.reduce((all, { time }) => all + time, 0) / 1e9
  return { total: sum(nanoseconds), serving: sum(nanoseconds.filter((one) => one.isServing)) }
}

/** A thread may end between listing and reading. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '0'
  }
}
