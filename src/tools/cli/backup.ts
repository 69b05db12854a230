// `slipstream backup`: a complete copy of the database, with or without a running server.

import { type Command, InvalidArgumentError } from 'commander'
import type { Config } from '../../base/config/config.ts'
import { type Backup, type BackupProgress, backUp } from '../../data/store/files/backup.ts'
import { runFurther, type ToolsFeature } from '../feature.ts'
import type { CliContext } from './context.ts'
import { type ControlClient, findServer } from './control-client.ts'
import { type JsonOption, withJson } from './json-option.ts'
import { locked, refuseMissing } from './offline.ts'
import { megabytes, type Progress, report, say, startProgress, thousands } from './terminal.ts'

type Options = JsonOption & { into?: string; keep?: number; quick?: boolean }
type BackupRequest = { into: string | undefined; keep: number | undefined; check: 'full' | 'quick' }

const EXAMPLES = `
The copy is written under a temporary name and renamed once it is checked, so every file with a backup's name
is complete. Give each Slipstream its own folder.

Examples:
  slipstream backup
  slipstream backup --into /mnt/backups --keep 7        daily, from a timer`

export function addBackup(
  program: Command,
  context: CliContext,
  features: readonly ToolsFeature[],
): void {
  const further = features.map((feature) => feature.further?.backup)
  const command = withJson(program.command('backup'))
    .description('copy the database and check the copy, with the server running or stopped')
    .option('--into <folder>', 'folder to write to (backups in the data folder)')
    .option('--keep <n>', 'keep the newest n there and delete the others', parseKeep)
    .option('--quick', 'check the pages only, not whether indexes match their tables')
    .addHelpText('after', EXAMPLES)
    .action(async (options: Options) => {
      if (!(await runFurther(further, options, context))) await makeBackup(context, options)
    })
  for (const item of further) item?.addTo(command)
}

async function makeBackup(context: CliContext, options: Options): Promise<void> {
  const config = context.config()
  const { json, into, keep, quick } = options
  const request: BackupRequest = {
    into: into === undefined ? undefined : context.path(into),
    keep,
    check: quick ? 'quick' : 'full',
  }
  const show = progressOf()
  try {
    const server = await findServer(config.dataDir)
    const backup = server
      ? await online(server, config, request, show)
      : await offline(config, request, show)
    show.end()
    report(json, backup, describe(backup))
  } finally {
    show.end()
  }
}

type Show = { tell(progress: BackupProgress): void; end(): void }

/**
 * Into another folder this process copies itself: the server's sandbox often has no right to write
 * there, and two processes may read one database.
 */
async function online(
  server: ControlClient,
  { dataDir }: Config,
  request: BackupRequest,
  show: Show,
): Promise<Backup> {
  if (request.into !== undefined) return backUp({ dataDir, ...request, onProgress: show.tell })
  type Line = { progress?: BackupProgress; backup?: Backup }
  for await (const line of server.follow<Line>('POST', '/backup', JSON.stringify(request))) {
    if (line.progress) show.tell(line.progress)
    if (line.backup) return line.backup
  }
  throw new Error('the server stopped answering before the backup was done')
}

async function offline({ dataDir }: Config, request: BackupRequest, show: Show): Promise<Backup> {
  refuseMissing(dataDir)
  return locked(dataDir, () => backUp({ dataDir, ...request, onProgress: show.tell }))
}

/** Shows the bar from the first pages until the copy is complete. */
function progressOf(): Show {
  let bar: Progress | undefined
  function end(): void {
    bar?.stop()
    bar = undefined
  }
  return {
    tell({ step, done, total }) {
      if (step === 'checking') {
        end()
        return say('checking it')
      }
      bar ??= startProgress('copying', total, (n) => `${thousands(n)} pages`)
      bar.update(done)
    },
    end,
  }
}

function describe({ path, bytes, tookMs, removed }: Backup): string {
  const seconds = (tookMs / 1000).toFixed(1)
  const made = `${path}\n${megabytes(bytes)}, complete, in ${seconds} s`
  return removed.length === 0 ? made : `${made}; removed ${removed.join(', ')}`
}

function parseKeep(text: string): number {
  const keep = Number(text)
  if (Number.isInteger(keep) && keep >= 1) return keep
  throw new InvalidArgumentError('Give a whole number, 1 or more.')
}
