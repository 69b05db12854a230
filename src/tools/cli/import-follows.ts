// `slipstream import-follows`: imports an adjacency list, into a running server piece by piece between the
// stream's batches, or into the database at once.

import type { Command } from 'commander'
import { addTo, emptyTally, type ImportReport } from '../../ingest/indexing/imports/import-tally.ts'
import { EXIT } from '../fail.ts'
import type { CliContext } from './context.ts'
import { type ControlClient, findServer } from './control-client.ts'
import { type JsonOption, withJson } from './json-option.ts'
import { type ListFile, openList } from './list-file.ts'
import { writingOwn } from './offline.ts'
import { megabytes, type Progress, report, say, startProgress, thousands } from './terminal.ts'

type Options = JsonOption & { inScope?: boolean }
type Sink = { progress: Progress; isInScopeOnly: boolean; file: ListFile }

const HELP = `
A line is did,did or did,did,rkey: follower, followed account, record key. A header, blank lines and lines that
begin with # are skipped. Bad lines are counted, and the first few are shown. .gz and .zst are unpacked.

The import only adds. The stream wins, whether its event arrives before, during or after the import: a follow
that was deleted stays deleted, and a known one stays as it is. Prefer lists with record keys, by which
a later deletion finds its follow. Without them, the first deletion that matches nothing makes Slipstream
read the account's list from its server. It is safe to run twice, and safe to stop.

It is several times as fast with the server stopped.

Examples:
  slipstream import-follows follows.csv
  slipstream import-follows follows.csv.zst --in-scope`

export function addImportFollows(program: Command, context: CliContext): void {
  withJson(program.command('import-follows'))
    .argument('<file>', 'the list: plain, .gz or .zst (- for standard input)')
    .description('load a list of follows, each line did,did or did,did,rkey')
    .option('--in-scope', 'import only follows that SLIPSTREAM_INDEX_SCOPE would keep')
    .addHelpText('after', HELP)
    .action((file: string, options: Options) => importFollows(context, file, options))
}

async function importFollows(context: CliContext, path: string, options: Options): Promise<void> {
  const config = context.config()
  const file = openList(context.input(path))
  const server = await findServer(config.dataDir)
  const beganAt = performance.now()
  const progress = startProgress('importing', file.bytes, megabytes)
  try {
    const sink = { progress, file, isInScopeOnly: options.inScope ?? false }
    const done = server ? await online(server, sink) : await offline(context, sink)
    progress.stop()
    const seconds = (performance.now() - beganAt) / 1000
    report(options.json, { ...done, seconds }, describe(done, seconds))
    if (done.lines > 0 && done.bad === done.lines) process.exitCode = EXIT.failed
  } finally {
    progress.stop()
  }
}

/** Each piece is a separate request, answered once all of it is committed. */
async function online(
  server: ControlClient,
  { file, progress, isInScopeOnly }: Sink,
): Promise<ImportReport> {
  const sum: ImportReport = { tally: emptyTally(), lines: 0, bad: 0, badLines: [] }
  for await (const piece of completeLines(file.pieces)) {
    const query = `firstLine=${sum.lines + 1}${isInScopeOnly ? '&inScope=1' : ''}`
    const done = await server.ask<ImportReport>('POST', `/import-follows?${query}`, piece)
    addTo(sum.tally, done.tally)
    sum.lines += done.lines
    sum.bad += done.bad
    sum.badLines = [...sum.badLines, ...done.badLines].slice(0, 20)
    progress.update(file.bytesRead, `${thousands(sum.tally.added)} added`)
  }
  return sum
}

async function offline(
  context: CliContext,
  { file, progress, isInScopeOnly }: Sink,
): Promise<ImportReport> {
  const { createBulkImport } = await import('../../ingest/indexing/imports/bulk-follows.ts')
  const { createFollowReader } = await import('../../ingest/indexing/imports/follow-lines.ts')
  const config = context.config()
  const { indexScope: scope } = config
  // The follow graph is in each node's own rows.
  return writingOwn(config, async ({ actors, writer }) => {
    const reader = createFollowReader()
    const bulk = createBulkImport({ actors, writer, scope, isInScopeOnly })
    const decoder = new TextDecoder()
    for await (const piece of file.pieces) {
      bulk.add(reader.take(decoder.decode(piece, { stream: true })))
      progress.update(file.bytesRead, `${thousands(reader.lines)} lines`)
    }
    bulk.add(reader.finish())
    say('writing the follow graph')
    const tally = bulk.finish()
    const { lines, bad, badLines } = reader
    return { tally, lines, bad, badLines }
  })
}

const MAX_REST_PIECES = 8

/** Pieces that end at a line's end, except for the last one. */
async function* completeLines(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer[] = []
  for await (const piece of pieces) {
    const end = piece.lastIndexOf(10) + 1
    if (end > 0) yield Buffer.concat([...rest, piece.subarray(0, end)])
    rest = end > 0 ? [piece.subarray(end)] : [...rest, piece]
    // No line is that long: data without line ends is passed on, to be counted as bad.
    if (rest.length > MAX_REST_PIECES) yield Buffer.concat(rest.splice(0))
  }
  if (rest.some(({ length }) => length > 0)) yield Buffer.concat(rest)
}

function describe({ tally, lines, bad, badLines }: ImportReport, seconds: number): string {
  const pace = Math.round(lines / Math.max(seconds, 0.001))
  const head = `${thousands(tally.added)} follows added; ${thousands(lines)} lines in ${seconds.toFixed(1)} s, ${thousands(pace)} a second.`
  const left: [number, string][] = [
    [tally.known, 'already known'],
    [tally.undone, 'deleted since'],
    [tally.complete, 'by accounts whose own list is known'],
    [tally.gone, 'of deleted accounts'],
    [tally.outOfScope, 'out of scope'],
    [bad, 'bad lines'],
  ]
  const rest = left.filter(([count]) => count > 0)
  return [
    head,
    ...rest.map(([count, what]) => `  ${thousands(count)} ${what}`),
    ...badLines.map(({ line, reason, text }) => `    line ${line}: ${WHY[reason]}: ${text}`),
    ...(bad > badLines.length ? [`    and ${thousands(bad - badLines.length)} more`] : []),
  ].join('\n')
}

const WHY: Record<ImportReport['badLines'][number]['reason'], string> = {
  columns: 'not did,did or did,did,rkey',
  did: 'no DID',
  rkey: 'no record key',
  'too-long': 'longer than a line may be',
}
