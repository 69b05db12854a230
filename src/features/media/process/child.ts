// The media process as seen by its parent, which starts it, gives it one job at a time, watches it, and kills
// it if a job exceeds its memory, processor time or duration. Memory is resident memory (a limit on address
// space would hit V8, which reserves far more than it uses); V8's own heap has a separate limit.
//
// The process gets none of our environment: no secrets, only allocator settings that keep it small.

import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { getCompileCacheDir } from 'node:module'
import { fileURLToPath } from 'node:url'
import { libraryPath } from '../../../base/config/config.ts'
import type { Job, Report, Spoken } from './jobs.ts'

/**
 * Why a job has no report. `lost`: something else ended the process; `unstarted`: it never started
 * up.
 */
export type Death = 'memory' | 'time' | 'crash' | 'lost' | 'unstarted'
export type Outcome = Report | { kind: 'died'; why: Death; detail: string }

export type ChildLimits = {
  memoryBytes: number
  /** Processor time, so that a busy machine refuses no job that an idle one accepts. */
  cpuMs: number
  jobMs: number
  /** The system's nice value, from 0 to 19. */
  niceness: number
}

export type Child = {
  readonly pid: number | undefined
  readonly hasEnded: boolean
  /** One at a time. */
  perform(job: Job): Promise<Outcome>
  kill(): void
}

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))
const HEAP = ['--max-old-space-size=96', '--max-semi-space-size=2', '--expose-gc']
const NODE_OPTIONS = [...HEAP, '--no-warnings']
const LOOK_EVERY_MS = 50
const MAX_DETAIL = 2000

export function startChild(limits: ChildLimits): Child {
  const child = begin(limits)
  let isUp = false
  let killedFor: Death | undefined
  let detail = ''
  let settle: ((outcome: Outcome) => void) | undefined
  let hasEnded = false

  const killFor = (why: Death) => {
    killedFor ??= why
    child.kill('SIGKILL')
  }
  const end = (signal: NodeJS.Signals | null) => {
    hasEnded = true
    const why = killedFor ?? (!isUp ? 'unstarted' : signal === 'SIGKILL' ? 'lost' : 'crash')
    settle?.({ kind: 'died', why, detail })
  }
  child.stderr?.on('data', (text: Buffer) => {
    detail = (detail + text.toString()).slice(-MAX_DETAIL)
  })
  child.on('message', (spoken: Spoken) => {
    if (spoken.kind === 'ready') isUp = true
    else settle?.(spoken)
  })
  child.on('error', (error) => {
    detail = error.message
    end(null)
  })
  child.on('close', (_code, signal) => end(signal))

  return {
    pid: child.pid,
    get hasEnded() {
      return hasEnded
    },
    async perform(job) {
      const { promise, resolve } = Promise.withResolvers<Outcome>()
      const clock = setTimeout(killFor, limits.jobMs, 'time')
      const cpuBefore = cpuMsOf(child.pid)
      const look = () => {
        if (peakMemoryOf(child.pid) > limits.memoryBytes) killFor('memory')
        if (cpuMsOf(child.pid) - cpuBefore > limits.cpuMs) killFor('time')
      }
      // Checks once more at the end, since a busy server may have checked too rarely.
      settle = (outcome) => {
        if (outcome.kind !== 'died') look()
        if (outcome.kind === 'died' || !killedFor) resolve(outcome)
      }
      const watch = setInterval(look, LOOK_EVERY_MS)
      child.send(job, (error) => error && killFor('lost'))
      try {
        return await promise
      } finally {
        clearTimeout(clock)
        clearInterval(watch)
        settle = undefined
      }
    },
    kill: () => killFor('lost'),
  }
}

/** The child does not keep the parent's event loop alive. */
function begin({ niceness }: ChildLimits): ChildProcess {
  const child = spawn(process.execPath, [...NODE_OPTIONS, MAIN, String(niceness)], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: {
      MALLOC_ARENA_MAX: '2',
      UV_THREADPOOL_SIZE: '2',
      NODE_COMPILE_CACHE: getCompileCacheDir(),
      LD_LIBRARY_PATH: libraryPath(),
    },
  })
  child.unref()
  child.channel?.unref()
  const { stderr } = child as { stderr: { unref?(): void } | null }
  stderr?.unref?.()
  return child
}

/** Peak memory; 0 if the system does not report it (Linux does). */
function peakMemoryOf(pid: number | undefined): number {
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(readProc(pid, 'status'))?.[1] ?? 0) * 1024
}

/** User and system time, which the system reports in hundredths of a second. */
function cpuMsOf(pid: number | undefined): number {
  const fields = readProc(pid, 'stat').split(') ').at(-1)!.split(' ')
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * 10
}

function readProc(pid: number | undefined, name: 'stat' | 'status'): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1')
  } catch {
    return ''
  }
}
