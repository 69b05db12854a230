// `npm run bench`: runs benchmarks one after another, each in a fresh process so that none inherits another's
// heap or compiled code. Prints a table with the targets of runner/targets.ts, or only lines of JSON (with `doubt`
// on figures that must not be used). A benchmark is a file of this folder or of timelines/ that exports `bench(options)`;
// without `--full` each is small enough for CI. Figures named `….baseline` or `….ratio` come from the same
// process and minute as their counterpart. `--save` writes the file that the documentation is generated from.

import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { readArguments } from '../src/tools/script-usage.ts'
import { runAgainst } from './against/against.ts'
import { benchNames, type Choice, choose, isFrom, missingFigures } from './runner/choice.ts'
import { busyWithOthers } from './runner/others.ts'
import { type BenchResult, wantsOf } from './runner/result.ts'
import { saveFigures } from './runner/saved-figures.ts'
import { headLine, summaryLines, tableLine } from './runner/table.ts'

const USAGE = `npm run bench -- [NAME…] [options]
Runs the benchmarks whose file or figures begin with NAME; without names, all.

  --against TREE compares with another tree instead: one page of ratios, in a quarter of an hour
  --full         at full size
  --json         one line of JSON per figure
  --list         list benchmarks
  --save FILE    save the figures, unless the machine was busy
  --busy         save them anyway`

const { values, positionals } = readArguments(USAGE, readOptions)
const benches = benchNames()
const { chosen, unknown } = choose(positionals, benches)
const printed = new Map<string, BenchResult>()

if (values.against !== undefined) {
  if (!(await runAgainst(resolve(values.against)))) process.exitCode = 1
} else if (values.list) {
  for (const bench of benches) console.log(bench)
} else if (unknown.length > 0) {
  console.error(`No benchmark or figure begins with ${unknown.join(' or ')}.`)
  console.error(`There are: ${benches.join(', ')}`)
  process.exitCode = 1
} else {
  if (!values.json) console.log(headLine())
  for (const choice of chosen) await run(choice)
  if (!values.json) for (const line of summaryLines([...printed.values()])) console.log(line)
  reportMissing()
  if (values.save) saveFigures(values.save, [...printed.values()], { full: values.full ?? false })
}

function readOptions(args: string[]) {
  const flag = { type: 'boolean' } as const
  const save = { type: 'string' } as const
  const options = { json: flag, full: flag, list: flag, busy: flag, save, against: save } as const
  return parseArgs({ args, allowPositionals: true, options })
}

/** A run of all benchmarks fails if it leaves a target without its figure. */
function reportMissing(): void {
  if (positionals.length > 0) return
  const missing = missingFigures([...printed.keys()], values.full ?? false)
  if (missing.length === 0) return
  console.error(`No benchmark gave ${missing.join(', ')}`)
  process.exitCode = 1
}

async function run({ bench, figures }: Choice): Promise<void> {
  const busyBefore = await busyWithOthers()
  const runner = join(import.meta.dirname, 'run-one.ts')
  const args = ['--expose-gc', '--max-old-space-size=8192', runner, bench, ...figures]
  const child = spawn(process.execPath, values.full ? [...args, '--full'] : args, {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = new Promise<number>((resolve) => child.once('exit', (code) => resolve(code ?? 1)))
  const wants = wantsOf(figures)
  const results: BenchResult[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    const result = readResult(line)
    if (!result) console.error(line)
    else if (wants(result.name) && isFrom(bench, result, benches)) results.push(result)
  }
  if ((await exited) !== 0) {
    console.error(`the benchmark ${bench} failed`)
    process.exitCode = 1
  }
  const doubt = values.busy ? undefined : (busyBefore ?? (await busyWithOthers()))
  if (doubt !== undefined) console.error(`${bench} counts for nothing: ${doubt}`)
  for (const result of results) print(doubt === undefined ? result : { ...result, doubt })
}

/** undefined for a line that is not a figure, like a benchmark's messages. */
function readResult(line: string): BenchResult | undefined {
  try {
    const { name, value, unit, doubt } = JSON.parse(line) as BenchResult
    const isFigure = typeof name === 'string' && Number.isFinite(value) && typeof unit === 'string'
    if (!isFigure) return undefined
    return doubt === undefined ? { name, value, unit } : { name, value, unit, doubt }
  } catch {
    return undefined
  }
}

function print(result: BenchResult): void {
  if (printed.has(result.name)) return
  printed.set(result.name, result)
  console.log(values.json ? JSON.stringify(result) : tableLine(result))
}
