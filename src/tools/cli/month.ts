// `slipstream month`: what the server did in the last thirty days.

import type { Command } from 'commander'
import { type Month, monthOf } from '../../http/operator/month.ts'
import { monthInWords } from '../../http/operator/month-words.ts'
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
  const lines = monthInWords(month)
  if (lines.length === 0) return 'Nothing yet: the first figures are there after a start.'
  return lines.map(([name, text]) => `${name.padEnd(NAME_WIDTH)}${text}`).join('\n')
}
