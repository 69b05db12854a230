// Slipstream as a separate process, as an operator runs it: `node src/main.ts` with settings in its
// environment and its own data folder.

import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MAX_WAIT_MS } from './patience.ts'
import { publicAppview } from './public-appview.ts'

export type SlipstreamProcess = {
  readonly child: ChildProcess
  /** Everything written so far to standard output and standard error. */
  output(): string
  /** Resolves with the first match; rejects when the process ends or `timeoutMs` pass without one. */
  waitFor(pattern: RegExp, timeoutMs?: number): Promise<RegExpExecArray>
  /** Resolves with the port once the process serves. */
  port(): Promise<number>
  /** Sends the signal and resolves with the exit code (null for a kill). */
  stop(signal?: NodeJS.Signals): Promise<number | null>
  exit: Promise<number | null>
}

const MAIN = join(import.meta.dirname, '../../src/main.ts')

export function freshDataDir(): string {
  return mkdtempSync(join(tmpdir(), 'slipstream-process-'))
}

/**
 * `env` holds settings without their prefix; PORT defaults to any free one. `node`: Node's own
 * options and unprefixed environment variables, and another tree's `main.ts`.
 */
export function startSlipstream(
  env: Record<string, string> = {},
  args: string[] = [],
  node: {
    options?: string[]
    env?: Record<string, string>
    main?: string
    stdio?: StdioOptions
  } = {},
): SlipstreamProcess {
  const settings = { PORT: '0', ...publicAppview('none'), ...env }
  const child = spawn(process.execPath, [...(node.options ?? []), node.main ?? MAIN, ...args], {
    cwd: tmpdir(),
    stdio: node.stdio ?? 'pipe',
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      ...node.env,
      ...Object.fromEntries(Object.entries(settings).map(([k, v]) => [`SLIPSTREAM_${k}`, v])),
    },
  })
  let text = ''
  const listeners = new Set<() => void>()
  const hear = (chunk: Buffer) => {
    text += chunk.toString()
    for (const listener of listeners) listener()
  }
  child.stdout!.on('data', hear)
  child.stderr!.on('data', hear)
  // Leaves no process behind when a test exits without stopping it.
  const end = () => child.kill('SIGKILL')
  process.once('exit', end)
  const exit = once(child, 'exit').then(([code]) => {
    process.off('exit', end)
    return code as number | null
  })

  function waitFor(pattern: RegExp, timeoutMs = MAX_WAIT_MS): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const settle = (result: RegExpExecArray | Error) => {
        listeners.delete(look)
        clearTimeout(timer)
        if (result instanceof Error) reject(result)
        else resolve(result)
      }
      const look = () => {
        const found = pattern.exec(text)
        if (found) settle(found)
      }
      const timer = setTimeout(() => settle(new Error(`no ${pattern} in:\n${text}`)), timeoutMs)
      listeners.add(look)
      exit.then((code) => {
        look()
        settle(new Error(`ended with ${code} before ${pattern}:\n${text}`))
      })
      look()
    })
  }

  return {
    child,
    exit,
    output: () => text,
    waitFor,
    port: async () => Number((await waitFor(/"msg":"serving on [^"]*:(\d+)"/))[1]),
    stop: (signal = 'SIGTERM') => {
      child.kill(signal)
      return exit
    },
  }
}
