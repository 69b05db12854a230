// CPU time of another process by thread, from the scheduler.

import { readdirSync, readFileSync } from 'node:fs'

export type CpuSeconds = {
  /** All threads, including garbage collection and compilation. */
  total: number
  /** The main thread, which serves. */
  serving: number
}

/** Excludes threads that have ended. */
export function readCpu(pid: number): CpuSeconds {
  const times = readThreadTimes(pid)
  const total = times.reduce((all, { nanoseconds }) => all + nanoseconds, 0)
  const serving = times.find(({ tid }) => tid === pid)?.nanoseconds ?? 0
  return { total: total / 1e9, serving: serving / 1e9 }
}

/**
 * Time on a processor of each thread.
 * @throws if the process has ended
 */
export function readThreadTimes(pid: number): { tid: number; nanoseconds: number }[] {
  return readdirSync(`/proc/${pid}/task`).map((name) => {
    const tid = Number(name)
    const [running = '0'] = readIfThere(`/proc/${pid}/task/${tid}/schedstat`).split(' ')
    return { tid, nanoseconds: Number(running) }
  })
}

/** A thread may end between listing and reading. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '0'
  }
}
