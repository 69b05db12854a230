// `slipstream engine …`: the CQL engine that the nodes of one cluster share (docs/CLUSTER.md).

import type { Command } from 'commander'
import { type Config, ConfigError } from '../../../base/config/config.ts'
import { settingsOf } from '../../../base/config/every-setting.ts'
import type { CliContext } from '../../../tools/cli/context.ts'
import { integer } from '../../../tools/cli/integer.ts'
import { type JsonOption, withJson } from '../../../tools/cli/json-option.ts'
import { report, table } from '../../../tools/cli/terminal.ts'
import { CliError } from '../../../tools/fail.ts'
import { bucketOf } from '../engine/buckets.ts'
import { connectEngine, type Engine, EngineUnavailableError } from '../engine/connect.ts'
import { type LeaseOverview, leaseOverview } from '../engine/lease-overview.ts'
import { createLeaseTable } from '../engine/lease-table.ts'
import { type EngineNode, engineNodes } from '../engine/nodes.ts'
import { engineSchemaVersion, migrateEngine, replicationOf, schemaState } from '../engine/schema.ts'
import { clusterSettings, parseEngineAddress } from '../settings.ts'

type StatusOptions = JsonOption & { of?: string }

const MOST_COPIES = 9

export function addEngine(program: Command, context: CliContext): void {
  const engine = program.command('engine').description('the CQL engine that several nodes share')
  withJson(engine.command('migrate'))
    .description('create or upgrade its keyspace and tables; safe to run again')
    .option(
      '--replication <n>',
      'copies of each row, for a new keyspace',
      integer(1, MOST_COPIES),
      3,
    )
    .action((options: JsonOption & { replication: number }) => migrate(context, options))
  withJson(engine.command('status'))
    .description('show its nodes, versions, clocks and schema, and which node holds which buckets')
    .option('--of <did>', 'also show this account’s bucket, and which node holds it')
    .action((options: StatusOptions) => status(context, options))
}

async function migrate(
  context: CliContext,
  { replication, json }: JsonOption & { replication: number },
): Promise<void> {
  await withEngine(context.config(), async (engine, datacenter) => {
    const { version, id } = await migrateEngine(engine, { replication, datacenter })
    const text = `The keyspace ${engine.keyspace} has schema ${version}.`
    report(json, { keyspace: engine.keyspace, schema: version, place: id }, text)
  })
}

async function status(context: CliContext, { json, of }: StatusOptions): Promise<void> {
  await withEngine(context.config(), async (engine, datacenter) => {
    const { version, id } = await schemaState(engine)
    const { keyspace } = engine
    const about = {
      keyspace,
      schema: version,
      neededSchema: engineSchemaVersion,
      place: id,
      copies: await replicationOf(engine, datacenter),
      nodes: await engineNodes(engine),
    }
    const isReady = version !== undefined && version >= engineSchemaVersion
    const held = isReady ? await leaseOverview(createLeaseTable(engine)) : undefined
    const lease = held && of !== undefined ? held.leases[bucketOf(of)] : undefined
    const text = [
      `Keyspace ${keyspace}: schema ${version ?? 'none'} (${engineSchemaVersion} is needed), ${about.copies ?? 0} copies of each row.`,
      engineTable(about.nodes),
      ...(held ? aboutLeases(held) : []),
      ...(lease
        ? [`${of}: bucket ${lease.bucket}, ${lease.node ?? 'nobody'}, epoch ${lease.epoch}.`]
        : []),
    ]
    const ours = held && { holders: held.nodes, leases: held.leases, unowned: held.unowned }
    report(json, { ...about, ...ours, ...(lease && { of: lease }) }, text.join('\n'))
  })
}

function engineTable(nodes: readonly EngineNode[]): string {
  const rows = nodes.map(({ address, version, isUp, answerMs, clockAheadMs }) => [
    ...[address, isUp ? 'up' : 'away', version ?? ''],
    ...[answerMs, clockAheadMs].map((ms) => (ms === undefined ? '' : `${ms} ms`)),
  ])
  return table(['node', 'state', 'version', 'answers in', 'clock ahead'], rows)
}

function aboutLeases({ nodes, leases, unowned }: LeaseOverview): string[] {
  const now = Date.now()
  const rows = nodes.map(({ node, isAlive, buckets }) => {
    const own = leases.filter((lease) => lease.node === node)
    const epochs = own.map(({ epoch }) => epoch)
    const ages = own.map(({ takenAt }) => Math.max(0, Math.round((now - takenAt) / 1000)))
    return [node, isAlive ? 'up' : 'silent', String(buckets), span(epochs, ''), span(ages, ' s')]
  })
  return [
    `Buckets: ${leases.length - unowned.length} of ${leases.length} are held by a node that is up.`,
    table(['node of ours', 'state', 'buckets', 'epochs', 'held for'], rows),
  ]
}

function span(numbers: readonly number[], unit: string): string {
  if (numbers.length === 0) return ''
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)]
  return least === most ? `${least}${unit}` : `${least}–${most}${unit}`
}

/** @throws CliError, ConfigError if there is no engine, or it can't be used */
export async function withEngine(
  config: Config,
  work: (engine: Engine, datacenter: string) => Promise<void>,
): Promise<void> {
  const settings = settingsOf(config, clusterSettings)
  if (settings.engine === undefined) {
    throw new ConfigError(
      'The settings name no engine.',
      'Set SLIPSTREAM_ENGINE=cql://user@host,host/keyspace (docs/CLUSTER.md).',
    )
  }
  const { datacenter } = parseEngineAddress(settings.engine)
  let engine: Engine | undefined
  try {
    engine = await connectEngine(settings)
    await work(engine, datacenter)
  } catch (error) {
    if (!(error instanceof EngineUnavailableError)) throw error
    throw new CliError(
      `The engine can’t be used: ${error.message}`,
      'Check that its nodes are running, and that SLIPSTREAM_ENGINE names them, their user and their data centre (?dc=NAME).',
    )
  } finally {
    await engine?.close()
  }
}
