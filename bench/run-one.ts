// Runs one benchmark in this process and prints its figures as JSON lines. See main.ts.

import { parseArgs } from 'node:util'
import type { BenchResult } from './result.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { full: { type: 'boolean', default: false } },
})

type Benchmark = { bench(options: { full: boolean }): Promise<BenchResult[]> | BenchResult[] }

const module = (await import(`./${positionals[0]}.ts`)) as Benchmark
for (const result of await module.bench({ full: values.full })) console.log(JSON.stringify(result))
process.exit(0)
