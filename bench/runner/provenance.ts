// Where a figure comes from: the machine, its clock and load, and the commit.

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { join } from 'node:path'

export type Provenance = {
  machine: string
  /** One-minute load average when it was saved: how busy the machine was otherwise. */
  load: number
  /** Clock of the first processor; undefined where the system does not say. */
  mhz?: number
  /** Abbreviated, with a `+` if code was changed since; undefined outside a checkout. */
  commit?: string
}

const root = join(import.meta.dirname, '../..')
const CPU_INFO = '/proc/cpuinfo'

export function provenanceNow(): Provenance {
  const [mhz, commit] = [clock(), currentCommit()]
  return {
    machine: machineName(),
    load: Math.round(loadavg()[0]! * 10) / 10,
    ...(mhz !== undefined && { mhz }),
    ...(commit !== undefined && { commit }),
  }
}

export function machineName(): string {
  const gigabytes = Math.round(totalmem() / 2 ** 30)
  const model = cpus()[0]?.model.replace(/\(R\)|\(TM\)|CPU|Processor/g, '') ?? 'unknown CPU'
  return `${cpus().length} × ${model.replace(/\s+/g, ' ').trim()}, ${gigabytes} GiB, Node ${process.versions.node}`
}

/** Node does not find the clock of every processor that Linux lists. */
function clock(): number | undefined {
  const speed = cpus()[0]?.speed
  if (speed) return speed
  const info = existsSync(CPU_INFO) ? readFileSync(CPU_INFO, 'utf8') : ''
  const [, mhz] = /^cpu MHz\s*:\s*([\d.]+)/m.exec(info) ?? []
  return mhz === undefined ? undefined : Math.round(Number(mhz))
}

function currentCommit(): string | undefined {
  const hash = git('rev-parse', '--short', 'HEAD')
  if (!hash) return undefined
  return git('status', '--porcelain', '--', 'src', 'bench', 'package.json') ? `${hash}+` : hash
}

function git(...args: string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}
