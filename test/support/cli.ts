// The command line as an operator runs it: a process of its own, with settings in its environment.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type CliRun = { code: number | null; stdout: string; stderr: string }

const MAIN = join(import.meta.dirname, '../../src/tools/cli/main.ts')

/** Runs a command. `env` holds settings without their prefix; `input` is its standard input. */
export async function runCli(
  env: Record<string, string>,
  args: string[],
  input = '',
): Promise<CliRun> {
  const child = start(env, args)
  const run: CliRun = { code: null, stdout: '', stderr: '' }
  child.stdout.on('data', (piece: Buffer) => (run.stdout += piece.toString()))
  child.stderr.on('data', (piece: Buffer) => (run.stderr += piece.toString()))
  child.stdin.end(input)
  const [code] = await once(child, 'close')
  return { ...run, code: code as number | null }
}

/** Kills a command with SIGKILL after `afterMs`, unless it ends earlier. */
export async function killed(
  env: Record<string, string>,
  args: string[],
  afterMs: number,
): Promise<void> {
  const child = start(env, args)
  const timer = setTimeout(() => child.kill('SIGKILL'), afterMs)
  await once(child, 'close')
  clearTimeout(timer)
}

function start(env: Record<string, string>, args: string[]) {
  return spawn(process.execPath, [MAIN, ...args], {
    cwd: tmpdir(),
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      ...Object.fromEntries(Object.entries(env).map(([k, v]) => [`SLIPSTREAM_${k}`, v])),
    },
  })
}

/**
 * Runs a command with --json.
 * @throws Error with its whole output unless it exits with 0
 */
export async function cliJson<T>(
  env: Record<string, string>,
  args: string[],
  input = '',
): Promise<T> {
  const { code, stdout, stderr } = await runCli(env, [...args, '--json'], input)
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}:\n${stderr}\n${stdout}`)
  return JSON.parse(stdout) as T
}
