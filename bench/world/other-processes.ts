// How long processors worked for anything but the measured processes: every other process, and other guests
// of the host as far as the kernel sees them (steal). From the scheduler (/proc/PID/task/TID/schedstat).

import { readdirSync } from 'node:fs'
import { readMachineTimes } from './proc-stat.ts'
import { readThreadTimes } from './process-cpu.ts'

/** Milliseconds of processor time since `watchOthers` returned. */
export type Others = () => number

export function watchOthers(measured: readonly number[]): Others {
  const before = readAll(measured)
  return () => {
    const after = readAll(measured)
    let ms = after.stealMs - before.stealMs
    for (const [thread, spent] of after.threads) {
      ms += (spent - (before.threads.get(thread) ?? 0)) / 1e6
    }
    return ms
  }
}

/** Threads are named by process and thread id; one that has ended since is not counted. */
function readAll(except: readonly number[]): { threads: Map<string, number>; stealMs: number } {
  const threads = new Map<string, number>()
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  // This process last, so that the reading itself counts for as little as possible.
  const others = pids.map(Number).filter((pid) => pid !== process.pid)
  for (const pid of [...others, process.pid].filter((pid) => !except.includes(pid))) {
    for (const { tid, nanoseconds } of threadsIfThere(pid))
      threads.set(`${pid}/${tid}`, nanoseconds)
  }
  return { threads, stealMs: readMachineTimes()?.steal ?? 0 }
}

/** A process may end between listing and reading. */
function threadsIfThere(pid: number) {
  try {
    return readThreadTimes(pid)
  } catch {
    return []
  }
}
