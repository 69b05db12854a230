// Slipstream in a separate process, as an operator runs it (`node src/main.ts` with settings in its
// environment), with the operating system's measurements: CPU time by thread, resident memory by kind, and on
// request V8's statistics of each thread's heap (Node's diagnostic report).

import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import bundle from '../../test/support/bundle.ts'
import { type CpuSeconds, readCpu } from './process-cpu.ts'

export type ResidentMegabytes = {
  total: number
  /** Memory not backed by a file: heaps, shared arrays, SQLite's page caches. */
  anonymous: number
  /**
   * File pages: the program and, through mmap, the database. The kernel can reclaim them at any
   * time.
   */
  file: number
  shared: number
  /** Peak of the total. */
  peak: number
}

export type HeapMegabytes = { thread: string; used: number; committed: number; external: number }

export type RunningApp = {
  readonly pid: number
  readonly port: number
  cpu(): CpuSeconds
  resident(): ResidentMegabytes
  heaps(): Promise<HeapMegabytes[]>
  health(): Promise<{ ingest?: IngestHealth }>
  stop(): Promise<void>
  /** Stops it as a power failure would. */
  kill(): Promise<void>
}

/** The fields of src/bridge/messages.ts that benchmarks read. */
export type IngestHealth = {
  stream: { connected: boolean; received: number; lagMs?: number }
  visibleMs: { p50: number; p99: number; count: number }
  jobs: number
  actors: number
  follows: number
}

/** Events of the stream received so far. */
export async function receivedEvents(app: Pick<RunningApp, 'health'>): Promise<number> {
  return (await app.health()).ingest?.stream.received ?? 0
}

const START = join(import.meta.dirname, '../../scripts/start')
const MAIN = join(import.meta.dirname, '../../src/main.ts')
const PACKAGE = join(import.meta.dirname, '../../package.json')
/** Same default as scripts/setup.sh. */
const COMPILED =
  process.env['NODE_COMPILE_CACHE'] ?? join(PACKAGE, '../node_modules/.cache/compiled')
const START_TIMEOUT_MS = 120_000
const REPORT_TIMEOUT_MS = 20_000

/** `env` holds settings without their prefix. */
export async function runApp(options: {
  dataDir: string
  env: Record<string, string>
}): Promise<RunningApp> {
  const { dataDir } = options
  const defaults = { PORT: '0', LOG_LEVEL: 'info', FALLBACK_APPVIEW: 'none' }
  // Counted, but never exhausted.
  const unlimited = {
    MEMBER_RATE_LIMIT: '1000000000',
    VISITOR_RATE_LIMIT: '1000000000',
    NEW_MEMBERS_PER_HOUR: '0',
  }
  const settings = { ...defaults, ...unlimited, DATA_DIR: dataDir, ...options.env }
  const report = ['--report-on-signal', '--report-signal=SIGUSR2', `--report-directory=${dataDir}`]
  start ??= startCommand()
  const child = spawn(process.execPath, [...start.flags, ...report, '--report-compact', MAIN], {
    cwd: dataDir,
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: COMPILED,
      ...start.env,
      ...Object.fromEntries(Object.entries(settings).map(([k, v]) => [`SLIPSTREAM_${k}`, v])),
    },
  })
  const end = () => child.kill('SIGKILL')
  process.once('exit', end)
  const endBy = async (signal: NodeJS.Signals) => {
    const exited = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await exited
    process.off('exit', end)
  }
  const port = await portOf(child)
  const pid = child.pid!
  return {
    pid,
    port,
    cpu: () => readCpu(pid),
    resident: () => readResident(pid),
    heaps: () => readHeaps(child, dataDir),
    health: async () => {
      const response = await fetch(`http://127.0.0.1:${port}/xrpc/_health`)
      return (await response.json()) as { ingest?: IngestHealth }
    },
    stop: () => endBy('SIGTERM'),
    kill: () => endBy('SIGKILL'),
  }
}

type StartCommand = { flags: string[]; env: Record<string, string> }

let start: StartCommand | undefined

/** Bundle, flags and environment as by `scripts/start`, to measure what operators run. */
function startCommand(): StartCommand {
  bundle()
  const text = readFileSync(START, 'utf8')
  const [, arenas, flags] = /MALLOC_ARENA_MAX="[^"]*:-(\d+)}" exec node((?: --\S+)+) src/.exec(
    text,
  )!
  return { flags: flags!.trim().split(' '), env: { MALLOC_ARENA_MAX: arenas! } }
}

/** Shows the output only if the server fails to start or complains. */
function portOf(child: ChildProcess): Promise<number> {
  let output = ''
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error(`Slipstream did not start:\n${output}`))
    const timer = setTimeout(fail, START_TIMEOUT_MS)
    child.once('exit', fail)
    child.stderr!.on('data', (chunk: Buffer) => process.stderr.write(chunk))
    child.stdout!.on('data', (chunk: Buffer) => {
      const text = chunk.toString()
      if (/"level":(50|60)/.test(text)) process.stderr.write(text)
      output = (output + text).slice(-10_000)
      const found = /"msg":"serving on [^"]*:(\d+)"/.exec(output)
      if (!found) return
      clearTimeout(timer)
      child.off('exit', fail)
      resolve(Number(found[1]))
    })
  })
}

function readResident(pid: number): ResidentMegabytes {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const megabytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024
  return {
    total: megabytes('VmRSS'),
    anonymous: megabytes('RssAnon'),
    file: megabytes('RssFile'),
    shared: megabytes('RssShmem'),
    peak: megabytes('VmHWM'),
  }
}

type Report = { javascriptHeap: ReportedHeap; workers?: { javascriptHeap: ReportedHeap }[] }
type ReportedHeap = {
  usedMemory: number
  totalCommittedMemory: number
  externalMemory?: number
}

async function readHeaps(child: ChildProcess, folder: string): Promise<HeapMegabytes[]> {
  child.kill('SIGUSR2')
  const deadline = Date.now() + REPORT_TIMEOUT_MS
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 200))
    const name = readdirSync(folder).find((entry) => /^report\..*\.json$/.test(entry))
    const report = name && parseReport(join(folder, name))
    if (!report && Date.now() > deadline) throw new Error('Node wrote no diagnostic report')
    if (!report) continue
    rmSync(join(folder, name))
    const workers = report.workers ?? []
    return [
      heapOf('serving', report.javascriptHeap),
      ...workers.map((worker) => heapOf('ingest', worker.javascriptHeap)),
    ]
  }
}

/** undefined while it is still being written. */
function parseReport(path: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Report
  } catch {
    return undefined
  }
}

function heapOf(thread: string, heap: ReportedHeap): HeapMegabytes {
  const megabytes = (bytes = 0) => bytes / 2 ** 20
  return {
    thread,
    used: megabytes(heap.usedMemory),
    committed: megabytes(heap.totalCommittedMemory),
    external: megabytes(heap.externalMemory),
  }
}
