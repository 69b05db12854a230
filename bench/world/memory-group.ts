// A memory group of the kernel's (cgroup v2, or v1) with a limit, for a process and all that it starts. Only where one
// may be made: on Linux, as root.

import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type MemoryGroup = {
  /** A process that writes its id there belongs to it. */
  readonly members: string
  /** The most that all in it took, page cache included, megabytes. */
  peakMb(): number
  /** How often the kernel ended something in it. */
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

/** undefined where none can be made. */
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
