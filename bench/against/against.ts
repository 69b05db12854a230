// `npm run bench -- --against TREE`: measures this tree and another in turns, part by part, and prints one page of
// ratios. Each part is a script of bench/compare/ in a process of its own, which tells its ratios by message; what it
// prints itself goes to stderr.

import { fork } from 'node:child_process'
import { join } from 'node:path'
import type { Ratio } from '../compare/in-turns.ts'
import { type Part, parts } from './rows.ts'
import { rowLine } from './verdict.ts'

const COMPARE = join(import.meta.dirname, '../compare')

const HEAD = [
  '| what | other tree | this tree | ratio (half of the rounds) | target | |',
  '| --- | --- | --- | --- | --- | --- |',
]

/** @returns whether all parts ran to their ends */
export async function runAgainst(tree: string): Promise<boolean> {
  const lines = [...HEAD]
  let areComplete = true
  for (const part of parts) {
    const { ratios, isWhole: isComplete } = await measure(part, tree)
    areComplete &&= isComplete
    lines.push(...part.rows.map((row) => rowLine(row, ratios.get(row.figure))))
  }
  for (const line of lines) console.log(line)
  return areComplete
}

async function measure({ script, args }: Part, tree: string) {
  const ratios = new Map<string, Ratio>()
  const child = fork(join(COMPARE, script), [tree, ...args], {
    stdio: ['ignore', process.stderr, 'inherit', 'ipc'],
  })
  child.on('message', (ratio: Ratio) => ratios.set(ratio.name, ratio))
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve))
  if (code !== 0) console.error(`bench/compare/${script} failed`)
  return { ratios, isWhole: code === 0 }
}
