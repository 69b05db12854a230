// A kernel memory group (cgroup v2 or v1) with a limit, for a process and its children. Only available on
// Linux, as root.

import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type MemoryGroup = {
  /** A process joins the group by writing its id to this file. */
  readonly members: string
  /** Peak usage of the whole group in megabytes, page cache included. */
  peakMb(): number
  /** Number of processes in it that the kernel killed. */
  kills(): number
  dispose(): void
}

type Files = { folder: string; limit: string; peak: string; events: string }

const ROOT = '/sys/fs/cgroup'
const V2: Omit<Files, 'folder'> = {
  limit: 'memory.max',
  peak: 'memory.peak',
  events: 'memory.events',
}
const V1: Omit<Files, 'folder'> = {
  limit: 'memory.limit_in_bytes',
  peak: 'memory.max_usage_in_bytes',
  events: 'memory.oom_control',
}

/** undefined where no group can be created. */
export function createMemoryGroup(limitMb: number): MemoryGroup | undefined {
  const isUnified = existsSync(join(ROOT, 'cgroup.controllers'))
  const folder = join(ROOT, isUnified ? '' : 'memory', `slipstream-bench-${process.pid}`)
  const files = { folder, ...(isUnified ? V2 : V1) }
  try {
    mkdirSync(folder)
    writeFileSync(join(folder, files.limit), String(limitMb * 2 ** 20))
  } catch {
    return undefined
  }
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  return {
    members: join(folder, 'cgroup.procs'),
    peakMb: () => Number(read(files.peak)) / 2 ** 20,
    kills: () => Number(/oom_kill (\d+)/.exec(read(files.events))?.[1] ?? 0),
    dispose: () => rmdirSync(folder),
  }
}
