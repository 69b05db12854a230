// A child process whose output is kept, to be shown if a test fails.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

export type Child = {
  readonly pid: number | undefined
  /** The last 200 kB of its output to either stream. */
  output: () => string
  hasEnded: () => boolean
  /** Resolves once it has ended, with its exit code, or null after a signal. */
  end: (signal: 'SIGTERM' | 'SIGKILL') => Promise<number | null>
}

const CACHED_CHARACTERS = 200_000

export function startChild(
  command: string,
  args: string[],
  options: { cwd?: string; env?: Record<string, string | undefined> } = {},
): Child {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = storeOutput(child)
  let failure: Error | undefined
  child.once('error', (error) => {
    failure = error
  })
  const hasEnded = () =>
    failure !== undefined || child.exitCode !== null || child.signalCode !== null
  return {
    pid: child.pid,
    output: () => output() + (failure ? `\n${failure.message}` : ''),
    hasEnded,
    async end(signal) {
      if (hasEnded()) return child.exitCode
      const gone = once(child, 'exit')
      child.kill(signal)
      await gone
      return child.exitCode
    },
  }
}

export function storeOutput(child: ChildProcess): () => string {
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      text = (text + chunk.toString()).slice(-CACHED_CHARACTERS)
    })
  }
  return () => text
}

/** @throws Error with the child's output if it ends or times out before `isUp` is true */
export async function waitUntilUp(
  name: string,
  child: Child,
  options: { isUp: () => Promise<boolean>; withinMs: number },
): Promise<void> {
  const deadline = Date.now() + options.withinMs
  while (!(await options.isUp().catch(() => false))) {
    if (child.hasEnded() || Date.now() > deadline) {
      await child.end('SIGKILL')
      throw new Error(`${name} did not start:\n${child.output()}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}
