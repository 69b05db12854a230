// `slipstream month`: what the server did in the last thirty days.

import type { Command } from 'commander'
import { bytes, count, duration, moment, percent } from '../../base/util/format.ts'
import { type Month, monthOf } from '../../http/operator/month.ts'
import type { CliContext } from './context.ts'
import { type JsonOption, withJson } from './json-option.ts'
import { readingAnyhow } from './offline.ts'
import { report } from './terminal.ts'

const NAME_WIDTH = 12

export function addMonth(program: Command, context: CliContext): void {
  withJson(program.command('month'))
    .description('tell what the server did in the last thirty days')
    .addHelpText('after', '\nExample:\n  slipstream month --json | jq .answers')
    .action(async ({ json }: JsonOption) => {
      const read = (db: Parameters<typeof monthOf>[0]) => monthOf(db, Date.now())
      const month = await readingAnyhow<Month>(context.config(), '/month', read)
      report(json, month, inWords(month))
    })
}

function inWords(month: Month): string {
  if (month.from === undefined) return 'Nothing yet: the first figures are there after a start.'
  const { answers, failures, members, databaseBytes } = month
  const lines: [string, string][] = [
    ['since', moment(month.from)],
    ['ran', `${percent(month.ran)} of that time`],
    ['read', `${count(month.events)} events, at most ${duration(month.mostLagMs)} behind`],
    ['answered', `${count(answers)} requests, of which ${count(failures)} failed`],
    ['answers', `99 of 100 within ${duration(month.answerP99Ms)}, on a usual day`],
    ['members', members ? `${count(members.to)}, ${signed(members.to - members.from)}` : '?'],
    [
      'database',
      databaseBytes ? `${bytes(databaseBytes.to)}, from ${bytes(databaseBytes.from)}` : '?',
    ],
    ['streams', `${bytes(month.streamBytes)} received since the first of this month`],
  ]
  return lines.map(([name, text]) => `${name.padEnd(NAME_WIDTH)}${text}`).join('\n')
}

function signed(change: number): string {
  return change === 0 ? 'as before' : `${change > 0 ? '+' : '−'}${count(Math.abs(change))}`
}
