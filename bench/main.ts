// `npm run bench [-- NAME…] [--full] [--json]`: runs benchmarks one after the other, each in a fresh
// process so that none inherits another's heap or compiled code, and prints a table, or with --json
// one line `{"name","value","unit"}` per figure. NAME picks benchmarks whose file or figure names
// begin with it. `--full` runs them at their real size; without it they are small enough for CI.
//
// A benchmark is a file here that exports `bench(options)`. Figures named `….baseline` or `….ratio`
// come from the same process and the same minute as what they are compared with.

import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import type { BenchResult } from './result.ts'

const HELPERS = new Set(['main.ts', 'result.ts', 'run-one.ts', 'cpu-time.ts'])

const { values, positionals } = readArguments()

const files = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !HELPERS.has(entry.name))
  .map((entry) => entry.name.replace(/\.ts$/, ''))
const chosen = files.filter((file) => wants(file))

if (values.list) {
  for (const file of files) console.log(file)
} else if (chosen.length === 0) {
  console.error(
    `No benchmark begins with ${positionals.join(' or ')}. There are: ${files.join(', ')}`,
  )
  process.exitCode = 1
} else {
  for (const file of chosen) await run(file)
}

function readArguments() {
  const flag = { type: 'boolean' } as const
  try {
    return parseArgs({ allowPositionals: true, options: { json: flag, full: flag, list: flag } })
  } catch (error) {
    console.error(
      `${(error as Error).message}\n  npm run bench -- [NAME…] [--full] [--json] [--list]`,
    )
    process.exit(64)
  }
}

function wants(file: string): boolean {
  return positionals.length === 0 || positionals.some((name) => file.startsWith(name))
}

/** Prints each figure as it comes. */
async function run(file: string): Promise<void> {
  const runner = join(import.meta.dirname, 'run-one.ts')
  const args = ['--expose-gc', '--max-old-space-size=8192', runner, file]
  const child = spawn(process.execPath, values.full ? [...args, '--full'] : args, {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = new Promise<number>((resolve) => child.once('exit', (code) => resolve(code ?? 1)))
  for await (const line of createInterface({ input: child.stdout })) print(line)
  if ((await exited) !== 0) {
    console.error(`bench/${file}.ts failed`)
    process.exitCode = 1
  }
}

function print(line: string): void {
  if (values.json || !line.startsWith('{')) return console.log(line)
  const { name, value, unit } = JSON.parse(line) as BenchResult
  console.log(`${name.padEnd(48)} ${format(value).padStart(14)} ${unit}`)
}

function format(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 1 ? 2 : 4
  return value.toLocaleString('en-US', { maximumFractionDigits: digits })
}
