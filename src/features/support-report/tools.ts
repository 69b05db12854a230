// The command: what the doctor, `stats` and `config --changed` say, in one text for whoever is asked for help.

import { homedir, hostname, userInfo } from 'node:os'
import type { Command } from 'commander'
import { type Config, examineConfig, settingSources } from '../../base/config/config.ts'
import { explainSettings } from '../../base/config/explain.ts'
import { findInstallation } from '../../base/util/installation.ts'
import { version } from '../../base/util/version.ts'
import { readFacts } from '../../http/operator/facts.ts'
import { reportOf } from '../../http/operator/feature-report.ts'
import { callServer } from '../../tools/cli/call-server.ts'
import { readingOffline } from '../../tools/cli/offline.ts'
import { print } from '../../tools/cli/terminal.ts'
import type { DoctorContext } from '../../tools/doctor/context.ts'
import {
  checksOf,
  loadToolsFeatures,
  processBytesOf,
  type ToolsFeature,
} from '../../tools/feature.ts'
import { withoutNames } from './without-names.ts'

const HELP = `
It has no tokens, and numbers instead of accounts, host names and addresses. Read it before you send it, and add
the last lines of the log, which name members by their DIDs.

Example:
  slipstream report > report.txt`

/** Settings whose values name people. */
const OF_PEOPLE = /MEMBERS|MODERATION_SERVICES|LABELERS|VERIFIERS/

export const tools: ToolsFeature = {
  commands(program: Command): void {
    program
      .command('report')
      .description('print what someone who helps needs to know, without names and secrets')
      .addHelpText('after', HELP)
      .action(writeReport)
  },
}

async function writeReport(): Promise<void> {
  const { config, problems } = examineConfig()
  const server = await callServer(config.dataDir)
  const about = {
    slipstream: version,
    node: process.version,
    machine: `${process.platform} ${process.arch}`,
    installation: findInstallation(),
    at: new Date().toISOString(),
  }
  const parts = [
    about,
    { settings: changedSettings(config), problems },
    { doctor: await seeDoctor({ config, problems, server }) },
    { server: await figuresOf(config, server) },
  ]
  print(
    withoutNames(parts.map((part) => JSON.stringify(part, null, 1)).join('\n'), namesIn(config)),
  )
  // Abandoned lookups may still hold sockets.
  process.exit(0)
}

function changedSettings(config: Config): Record<string, string> {
  const set = explainSettings(config).filter(({ origin }) =>
    ['environment', 'dotenv'].includes(origin),
  )
  return Object.fromEntries(
    set.map(({ key, value = '' }) => [key, OF_PEOPLE.test(key) ? howMany(value) : value]),
  )
}

/** Words like `open` and `invite` stay. */
function howMany(value: string): string {
  const all = value.split(',').map((part) => part.trim())
  const words = all.filter((value) => /^[a-z]+$/.test(value))
  const names = all.length - words.length
  return [...words, ...(names > 0 ? [`(${names} names)`] : [])].join(',')
}

async function seeDoctor(parts: Pick<DoctorContext, 'config' | 'problems' | 'server'>) {
  const { checksWith } = await import('../../tools/doctor/checks.ts')
  const { createDoctorContext } = await import('../../tools/doctor/network/connect.ts')
  const { examine } = await import('../../tools/doctor/examine.ts')
  const features = await loadToolsFeatures()
  const processBytes = processBytesOf(features, parts.config)
  const setKeys = settingSources()
  const doctor = createDoctorContext({ ...parts, processBytes, dotenvPath: '.env', setKeys })
  const { areas } = await examine(checksWith(checksOf(features)), doctor)
  return areas.flatMap(({ area, findings }) =>
    findings.map(({ level, text }) => `${level.padEnd(9)} ${area}: ${text}`),
  )
}

/** Of the running server, or of the rows; the error's text if there are none. */
async function figuresOf(config: Config, server: DoctorContext['server']): Promise<unknown> {
  if (server !== 'none') return 'status' in server ? server.status : server
  try {
    const features = await loadToolsFeatures()
    return await readingOffline(config, async (db) => {
      const { facts } = await reportOf(features, { db, config })
      return { ...readFacts(db, config.dataDir), ...facts }
    })
  } catch (error) {
    return (error as Error).message
  }
}

function namesIn(config: Config) {
  const known = explainSettings(config)
    .filter(({ origin }) => origin === 'default')
    .flatMap(({ value = '' }) => value.match(/[a-z0-9.-]+/gi) ?? [])
  return {
    known,
    own: [homedir(), hostname(), userInfo().username],
  }
}
