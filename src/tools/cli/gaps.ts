// `slipstream gaps`: every hole in what was received, with its cause and what became of it.

import { type Command, InvalidArgumentError } from 'commander'
import { type Gap, type GapCounts, gapCounts, listGaps } from '../../data/store/gaps.ts'
import type { CliContext } from './context.ts'
import { findServer } from './control-client.ts'
import { type JsonOption, withJson } from './json-option.ts'
import { readingOffline } from './offline.ts'
import { report, table } from './terminal.ts'

type Gaps = { counts: GapCounts; gaps: Gap[] }

const MAX_LIMIT = 1_000

export function addGaps(program: Command, context: CliContext): void {
  withJson(program.command('gaps'))
    .description('list what the server missed, and how its repair is going')
    .option('--limit <n>', 'how many to list, open ones first', parseLimit, 50)
    .addHelpText('after', '\nExample:\n  slipstream gaps --json | jq .counts.open')
    .action(({ json, limit }: JsonOption & { limit: number }) => showGaps(context, limit, json))
}

async function showGaps(context: CliContext, limit: number, json?: boolean): Promise<void> {
  const config = context.config()
  const server = await findServer(config.dataDir)
  const found = server
    ? await server.ask<Gaps>('GET', `/gaps?limit=${limit}`)
    : await readingOffline(config, (db) => ({
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

function parseLimit(text: string): number {
  const limit = Number(text)
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit
  throw new InvalidArgumentError(`Give a whole number from 1 to ${MAX_LIMIT}.`)
}
