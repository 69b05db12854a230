// Runs one benchmark in this process and prints its figures as JSON lines. See main.ts.

import { parseArgs } from 'node:util'
import { benchFiles } from './runner/choice.ts'
import { type BenchOptions, type BenchResult, wantsOf } from './runner/result.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { full: { type: 'boolean', default: false } },
})
const [bench, ...figures] = positionals

type Benchmark = { bench(options: BenchOptions): Promise<BenchResult[]> | BenchResult[] }

const module = (await import(benchFiles().get(bench!)!)) as Benchmark
const results = await module.bench({ full: values.full, wants: wantsOf(figures) })
// Exiting would discard output still queued in a pipe.
const lines = results.map((result) => `${JSON.stringify(result)}\n`)
process.stdout.write(lines.join(''), () => process.exit(0))
