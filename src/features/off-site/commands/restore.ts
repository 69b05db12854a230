// `slipstream restore --from s3://…`: on a bare machine, one command.

import { type Command, InvalidArgumentError } from 'commander'
import { isoTime } from '../../../base/util/iso-time.ts'
import type { CliContext } from '../../../tools/cli/context.ts'
import {
  megabytes,
  type Progress,
  report,
  say,
  startProgress,
  thousands,
} from '../../../tools/cli/terminal.ts'
import type { FurtherOptions } from '../../../tools/feature.ts'
import type { OffSiteRestored } from '../restoring/restore.ts'
import { whereTo } from '../where.ts'
import { parseS3Url } from './s3-url.ts'

type Options = { from?: string; at?: number; json?: boolean }

const HELP = `
From a store, the database comes back as it was up to a minute before the machine was lost, with pins and the
settings. Set the store’s address and keys first (SLIPSTREAM_OFF_SITE_…), as they were on the lost machine.
  slipstream restore --from s3://my-backups/slipstream`

export const restoreOptions: FurtherOptions = {
  addTo(command: Command): void {
    command
      .option('--from <url>', 'restore from an S3-compatible store', parseS3Url)
      .option('--at <time>', 'with --from: the state of this time, not the newest', parseTime)
      .addHelpText('after', HELP)
  },
  async run({ from, at, json }: Options, context) {
    if (from === undefined) return false
    await restore(context, { from, at, json })
    return true
  },
}

async function restore(
  context: CliContext,
  { from, at, json }: { from: string; at: number | undefined; json: boolean | undefined },
): Promise<void> {
  const config = context.config()
  const { s3, key } = whereTo(config, from)
  const { createS3 } = await import('../bucket/s3.ts')
  const { sealedObjects } = await import('../copying/objects.ts')
  const { restoreOffSite } = await import('../restoring/restore.ts')
  const { keysFrom } = await import('../sealing/keys.ts')
  const objects = sealedObjects(createS3(s3), await keysFrom(key))
  const show = createSteps()
  try {
    const restored = await restoreOffSite({ config, objects, until: at, onStep: show.step })
    show.end()
    report(json, restored, describe(restored))
  } finally {
    show.end()
  }
}

function createSteps() {
  let bar: Progress | undefined
  let current = ''
  function end(): void {
    bar?.stop()
    bar = undefined
  }
  return {
    end,
    step(step: string, done?: number, total?: number): void {
      if (step !== current) {
        end()
        current = step
        if (total === undefined) say(step)
      }
      if (done === undefined || total === undefined) return
      bar ??= startProgress(step, total, thousands)
      bar.update(done)
    },
  }
}

function describe({ database, files, members, privateAt, notes }: OffSiteRestored): string {
  const lines: string[] = []
  if (database) {
    lines.push(`Restored the state of ${isoTime(database.at)}, ${megabytes(database.bytes)}.`)
    if (database.keptAs) lines.push(`The previous database is kept as ${database.keptAs}.`)
  } else lines.push('There was no whole copy: a new database has members’ private state only.')
  if (privateAt !== undefined) {
    lines.push(`Private state of ${thousands(members)} members is newer, of ${isoTime(privateAt)}.`)
  }
  if (files.files > 0) lines.push(`${thousands(files.files)} other files are back.`)
  if (files.settings) {
    lines.push(`The lost machine’s settings are in ${files.settings}: copy what you need to .env.`)
  }
  lines.push(...notes.map((note) => `Note: ${note}.`), 'Start the server now.')
  return lines.join('\n')
}

function parseTime(text: string): number {
  const time = Date.parse(text)
  if (!Number.isNaN(time)) return time
  throw new InvalidArgumentError('Give a time such as 2026-11-28T21:00:00Z.')
}
