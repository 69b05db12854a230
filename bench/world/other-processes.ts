// How long processors worked for anything but the measured processes: every other process, and other guests
// of the host as far as the kernel sees them (steal). From the scheduler (/proc/PID/task/TID/schedstat).

import { readdirSync, readFileSync } from 'node:fs'

const TICK_MS = 10

/** Milliseconds of processor time since `begin` returned. */
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
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    if (except.includes(Number(pid)) || Number(pid) === process.pid) continue
    readThreads(pid, threads)
  }
  // Last, so that the reading itself counts for as little as possible.
  if (!except.includes(process.pid)) readThreads(String(process.pid), threads)
  return { threads, stealMs: readSteal() }
}

function readThreads(pid: string, into: Map<string, number>): void {
  try {
    for (const tid of readdirSync(`/proc/${pid}/task`)) {
      const [spent = '0'] = readFileSync(`/proc/${pid}/task/${tid}/schedstat`, 'utf8').split(' ')
      into.set(`${pid}/${tid}`, Number(spent))
    }
  } catch {
    // It ended meanwhile.
  }
}

function readSteal(): number {
  const [, line = ''] = /^cpu +(.*)$/m.exec(readFileSync('/proc/stat', 'utf8')) ?? []
  return Number(line.split(' ')[7] ?? 0) * TICK_MS
}
