// `slipstream gaps`: all gaps in the received data, with their causes and repairs.

import type { Command } from 'commander'
import { type Gap, type GapCounts, gapCounts, listGaps } from '../../data/store/stream/gaps.ts'
import type { CliContext } from './context.ts'
import { integer } from './integer.ts'
import { type JsonOption, withJson } from './json-option.ts'
import { readingAnyhow } from './offline.ts'
import { report, table } from './terminal.ts'

type Gaps = { counts: GapCounts; gaps: Gap[] }

const MAX_LIMIT = 1_000

export function addGaps(program: Command, context: CliContext): void {
  withJson(program.command('gaps'))
    .description('list gaps in the received data, and their repair')
    .option('--limit <n>', 'how many to list, open ones first', integer(1, MAX_LIMIT), 50)
    .addHelpText('after', '\nExample:\n  slipstream gaps --json | jq .counts.open')
    .action(({ json, limit }: JsonOption & { limit: number }) => showGaps(context, limit, json))
}

async function showGaps(context: CliContext, limit: number, json?: boolean): Promise<void> {
  const config = context.config()
  const found = await readingAnyhow<Gaps>(config, `/gaps?limit=${limit}`, (db) => ({
    counts: gapCounts(db),
    gaps: listGaps(db, { limit }),
  }))
  report(json, found, describe(found))
}

function describe({ counts, gaps }: Gaps): string {
  const sum = `${counts.open} open, ${counts.repairing} being repaired, ${counts.closed} closed`
  if (gaps.length === 0) return `No gaps. ${sum}.`
  const head = ['id', 'state', 'cause', 'from', 'to', 'where', 'how']
  const rows = gaps.map((gap) => [
    String(gap.id),
    gap.state,
    gap.cause,
    timeOf(gap.fromUs),
    timeOf(gap.toUs),
    gap.did ?? gap.host ?? '',
    gap.how ?? gap.note ?? '',
  ])
  return `${table(head, rows)}\n${sum}`
}

function timeOf(us: number): string {
  return us === 0 ? 'unknown' : new Date(us / 1000).toISOString().replace(/\.\d+/, '')
}
