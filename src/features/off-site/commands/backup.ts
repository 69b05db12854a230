// `slipstream backup --to s3://…` and `slipstream backup --new-key`.

import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { type Config, ConfigError, givenSettings } from '../../../base/config/config.ts'
import { settingsOf } from '../../../base/config/every-setting.ts'
import type { CliContext } from '../../../tools/cli/context.ts'
import { findServer } from '../../../tools/cli/control-client.ts'
import { locked, refuseMissing } from '../../../tools/cli/offline.ts'
import {
  megabytes,
  type Progress,
  print,
  report,
  say,
  startProgress,
  thousands,
} from '../../../tools/cli/terminal.ts'
import type { FurtherOptions } from '../../../tools/feature.ts'
import { offSiteSettings } from '../settings.ts'
import { FOLDER, type OffSiteStatus, readStatus } from '../status.ts'
import { whereTo } from '../where.ts'
import { parseS3Url } from './s3-url.ts'

type Options = { to?: string; newKey?: boolean; json?: boolean }

const LOOK_MS = 500
const WATCH_MS = 1_000

export const backupOptions: FurtherOptions = {
  addTo(command: Command): void {
    command
      .option('--to <url>', 'send a whole copy to an S3-compatible store, encrypted', parseS3Url)
      .option('--new-key', 'print a new key for SLIPSTREAM_OFF_SITE_KEY')
      .addHelpText(
        'after',
        `  slipstream backup --to s3://my-backups/slipstream     docs/OPERATING.md, “Off-site backup”`,
      )
  },
  async run(options: Options, context) {
    if (options.newKey) await printNewKey()
    else if (options.to !== undefined) await send(context, options.to, options.json)
    else return false
    return true
  },
}

async function printNewKey(): Promise<void> {
  const { newIdentity } = await import('../sealing/keys.ts')
  print(`SLIPSTREAM_OFF_SITE_KEY=${await newIdentity()}`)
  say('Set it on the server, and keep a copy elsewhere: without it nobody can read the backup.')
}

async function send(context: CliContext, url: string, json: boolean | undefined): Promise<void> {
  const config = context.config()
  const server = await findServer(config.dataDir)
  const isServers = settingsOf(config, offSiteSettings).offSiteTo === url
  const show = createBar()
  try {
    const status =
      server && isServers
        ? await askServer(config, show.tell)
        : await sendOurselves(config, url, { isLocked: server !== undefined, tell: show.tell })
    show.end()
    report(json, status, describe(status))
  } finally {
    show.end()
  }
}

type Tell = (done: number, total: number) => void

/** Two that send from one folder would each remove what the other needs. */
async function askServer({ dataDir }: Config, tell: Tell): Promise<OffSiteStatus> {
  const before = readStatus(dataDir)
  const wanted = join(dataDir, FOLDER, 'wanted')
  const startedAt = Date.now()
  writeFileSync(wanted, '')
  try {
    for (;;) {
      await sleep(LOOK_MS)
      const status = readStatus(dataDir)
      if (status?.progress) tell(status.progress.done, status.progress.total)
      const { base, problem } = status ?? {}
      if (base && base.at !== before?.base?.at && base.at > startedAt) return status!
      if (problem && problem.at > startedAt) throw new ConfigError(problem.message, problem.hint)
    }
  } finally {
    rmSync(wanted, { force: true })
  }
}

async function sendOurselves(
  config: Config,
  url: string,
  { isLocked, tell }: { isLocked: boolean; tell: Tell },
): Promise<OffSiteStatus> {
  const { dataDir } = config
  const { s3, key } = whereTo(config, url)
  refuseMissing(dataDir)
  const { createS3 } = await import('../bucket/s3.ts')
  const { sealedObjects } = await import('../copying/objects.ts')
  const { keysFrom } = await import('../sealing/keys.ts')
  const { openShipper } = await import('../shipping/shipper.ts')
  const keys = await keysFrom(key)
  async function work(): Promise<OffSiteStatus> {
    const objects = sealedObjects(createS3(s3), keys)
    const { offSiteKeepDays: keepDays } = settingsOf(config, offSiteSettings)
    const shipper = openShipper({ dataDir, objects, keys, keepDays, settings: givenSettings() })
    const watching = setInterval(shipper.watch, WATCH_MS)
    try {
      await shipper.shipComplete(tell)
      await shipper.owner.release()
      return shipper.status.now
    } finally {
      clearInterval(watching)
      shipper.close()
    }
  }
  return isLocked ? work() : locked(dataDir, work)
}

function createBar() {
  let bar: Progress | undefined
  return {
    tell(done: number, total: number): void {
      bar ??= startProgress('sending', total, (n) => `${thousands(n)} chunks`)
      bar.update(done)
    },
    end(): void {
      bar?.stop()
      bar = undefined
    },
  }
}

function describe({ url, base, stored }: OffSiteStatus): string {
  if (!base) return `Nothing is stored at ${url} yet.`
  const took = (base.tookMs / 1000).toFixed(1)
  const all = stored ? `; ${megabytes(stored.bytes)} are stored there` : ''
  return `${url}\n${megabytes(base.bytes)} of database, ${megabytes(base.sent)} sent, in ${took} s${all}`
}
