// The memory limit of a process: the lowest limit of its control group and of those above it, which covers
// MemoryMax= of a systemd unit and container limits. The doctor runs from a shell, in another group than the
// service, so the server's is found by its process id.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** @returns undefined if there is none, or it can't be read. */
export function memoryLimitOf(pid: number, root = '/'): number | undefined {
  const groups = read(join(root, 'proc', String(pid), 'cgroup')).split('\n')
  const limits = groups.flatMap((line) => limitsOf(line, join(root, 'sys/fs/cgroup')))
  return limits.length > 0 ? Math.min(...limits) : undefined
}

/** @param line - `0::/path` of the unified hierarchy, `9:memory:/path` of the older one. */
function limitsOf(line: string, mount: string): number[] {
  const [, number, controllers = '', path = ''] = /^(\d+):([^:]*):(.*)$/.exec(line) ?? []
  const isUnified = number === '0' && controllers === ''
  if (!isUnified && !controllers.split(',').includes('memory')) return []
  const folder = isUnified ? mount : join(mount, 'memory')
  const file = isUnified ? 'memory.max' : 'memory.limit_in_bytes'
  const texts = pathsUpFrom(path).map((value) => read(join(folder, value, file)).trim())
  return texts.filter((text) => /^\d+$/.test(text)).map(Number)
}

/** `/a/b`, `/a` and `/`. */
function pathsUpFrom(path: string): string[] {
  const parts = path.split('/').filter((part) => part !== '' && part !== '..')
  return [...parts.map((_, i) => parts.slice(0, i + 1).join('/')), '']
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
