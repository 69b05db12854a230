// `slipstream stats`: sizes and current state, from the running server or the database.

import type { Command } from 'commander'
import { duration } from '../../base/util/format.ts'
import type { IngestStatus } from '../../bridge/messages.ts'
import { type Facts, readFacts } from '../../http/operator/facts.ts'
import { type FeatureReport, reportOf } from '../../http/operator/feature-report.ts'
import type { Status } from '../../http/operator/status.ts'
import {
  choicesInWords,
  collectionsInWords,
  leftOutInWords,
  paceInWords,
  receivedInWords,
  sourcesInWords,
} from '../../http/operator/traffic-words.ts'
import type { ToolsFeature } from '../feature.ts'
import type { CliContext } from './context.ts'
import { findServer } from './control-client.ts'
import { type JsonOption, withJson } from './json-option.ts'
import { readingOffline } from './offline.ts'
import { dim, megabytes, report, thousands } from './terminal.ts'

export function addStats(
  program: Command,
  context: CliContext,
  features: readonly ToolsFeature[],
): void {
  withJson(program.command('stats'))
    .description('show sizes, members, and the stream’s lag')
    .addHelpText('after', '\nExample:\n  slipstream stats --json | jq .facts.disk.databaseBytes')
    .action(({ json }: JsonOption) => showStats(context, features, json))
}

async function showStats(
  context: CliContext,
  features: readonly ToolsFeature[],
  json: boolean | undefined,
): Promise<void> {
  const config = context.config()
  const server = await findServer(config.dataDir)
  const further = (about: FeatureReport) =>
    features
      .flatMap((feature) => feature.statsLines?.(about) ?? [])
      .map(([name, text]): Line => [name, text])
  if (server) {
    const status = await server.ask<Status>('GET', '/status')
    const { facts } = status
    return report(
      json,
      { running: true, ...status },
      lines([...running(status), ...rows(facts), ...further({ facts, status })]),
    )
  }
  const { facts, ofFeatures } = await readingOffline(config, async (db) => ({
    facts: readFacts(db, config.dataDir),
    ofFeatures: await reportOf(features, { db, config }),
  }))
  report(
    json,
    { running: false, facts: { ...facts, ...ofFeatures.facts } },
    lines([['server', 'not running'], ...rows(facts), ...further(ofFeatures)]),
  )
}

/** A shorter pause is not reported as silence. */
const QUIET_MS = 5_000

type Line = [name: string, value: string]

function running({ version, pid, uptimeSeconds, origin, ingest }: Status): Line[] {
  const hours = uptimeSeconds / 3600
  const since = hours < 1 ? `${Math.floor(uptimeSeconds / 60)} min` : `${hours.toFixed(1)} h`
  return [
    ['server', `${version} at ${origin}, process ${pid}, for ${since}`],
    ...(ingest ? streaming(ingest) : []),
  ]
}

function streaming({
  stream,
  beforeLive,
  timelines,
  visibleMs,
  coldStarts,
  stalls,
}: IngestStatus): Line[] {
  return [
    ...(stalls ?? []).map(({ what, seconds }): Line => ['stalled', `${what}, for ${seconds} s`]),
    ['stream', beforeLive ? `starts where the ${beforeLive.what} ends` : describeStream(stream)],
    ...(beforeLive ? [[beforeLive.what, beforeLive.text] as Line] : []),
    ['visible', visibleMs.count === 0 ? 'no events yet' : `within ${visibleMs.p99} ms (p99)`],
    ['timelines', `${thousands(timelines)} in memory`],
    ['cold starts', coldStartsOf(coldStarts)],
  ]
}

function describeStream({ host, connected, lagMs, quietMs }: IngestStatus['stream']): string {
  if (!connected) return `not connected to ${host}`
  const lag = lagMs === undefined ? 'no events yet' : `${(lagMs / 1000).toFixed(1)} s behind`
  const quiet =
    quietMs !== undefined && quietMs >= QUIET_MS ? `, quiet for ${duration(quietMs)}` : ''
  return `${lag}${quiet}, ${host}`
}

function rows(facts: Facts): Line[] {
  const { disk, gaps, streams } = facts
  return [
    ['members', thousands(facts.members)],
    ['accounts', thousands(facts.actors)],
    ['follows', thousands(facts.follows)],
    ['posts', thousands(facts.posts)],
    ['reposts', thousands(facts.reposts)],
    ['jobs', facts.jobs >= 20_000 ? '20,000 or more' : thousands(facts.jobs)],
    ...(facts.recordsLater > 0
      ? [['later', `${thousands(facts.recordsLater)} records beyond cold starts’ budgets`] as Line]
      : []),
    ['gaps', `${gaps.open} open, ${gaps.repairing} being repaired, ${gaps.closed} closed`],
    [
      'database',
      `${megabytes(disk.databaseBytes)}, write-ahead log ${megabytes(disk.logBytes)}, schema ${facts.schema}`,
    ],
    ['disk free', megabytes(disk.freeBytes)],
    ...facts.quarantinedLabelers.map(({ did, reason, until }): Line => {
      return ['labeler paused', `${did} until ${until}: ${reason}`]
    }),
    ['traffic in', paceInWords(facts.traffic)],
    ['received', receivedInWords(facts.traffic)],
    ['by connection', `${sourcesInWords(facts.traffic)} in seven days`],
    ['by collection', collectionsInWords(facts.traffic)],
    ['left out', leftOutInWords(facts.streamChoice)],
    ['a month', choicesInWords(facts.streamChoice)],
    ...streams.map(({ host, at }): Line => ['received until', `${at}  ${host}`]),
  ]
}

function lines(all: readonly Line[]): string {
  const width = Math.max(...all.map(([name]) => name.length))
  return all.map(([name, value]) => `${dim(name.padEnd(width))}  ${value}`).join('\n')
}

function coldStartsOf(coldStarts: IngestStatus['coldStarts']): string {
  const going = coldStarts.filter(({ stage }) => stage !== 'done').length
  const later = coldStarts.reduce((sum, value) => sum + value.later, 0)
  return later === 0 ? String(going) : `${going}; ${thousands(later)} authors are fetched later`
}
