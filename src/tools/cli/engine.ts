// `slipstream engine …`: the CQL engine that the nodes of one place share (docs/CLUSTER.md).

import { type Command, InvalidArgumentError } from 'commander'
import { type Config, ConfigError } from '../../base/config/config.ts'
import { parseEngineAddress } from '../../base/config/engine.ts'
import { connectEngine, type Engine, EngineUnavailableError } from '../../data/engine/connect.ts'
import { engineNodes } from '../../data/engine/nodes.ts'
import {
  engineSchemaVersion,
  migrateEngine,
  replicationOf,
  schemaState,
} from '../../data/engine/schema.ts'
import type { CliContext } from './context.ts'
import { CliError } from './fail.ts'
import { type JsonOption, withJson } from './json-option.ts'
import { report, table } from './terminal.ts'

const MOST_COPIES = 9

export function addEngine(program: Command, context: CliContext): void {
  const engine = program
    .command('engine')
    .description('the CQL engine that several nodes of one place share')
  withJson(engine.command('migrate'))
    .description(
      'make its keyspace and tables, or bring them up to this version; safe to run again',
    )
    .option('--replication <n>', 'copies of each row, for a new keyspace', copies, 3)
    .action((options: JsonOption & { replication: number }) => migrate(context, options))
  withJson(engine.command('status'))
    .description('its nodes, versions, clocks and schema')
    .action(({ json }: JsonOption) => status(context, json))
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

async function status(context: CliContext, asJson?: boolean): Promise<void> {
  await withEngine(context.config(), async (engine, datacenter) => {
    const nodes = await engineNodes(engine)
    const { version, id } = await schemaState(engine)
    const copies = await replicationOf(engine, datacenter)
    const { keyspace } = engine
    const about = {
      keyspace,
      schema: version,
      neededSchema: engineSchemaVersion,
      place: id,
      copies,
    }
    const rows = nodes.map(({ address, version, isUp, answerMs, clockAheadMs }) => [
      ...[address, isUp ? 'up' : 'away', version ?? ''],
      ...[answerMs, clockAheadMs].map((ms) => (ms === undefined ? '' : `${ms} ms`)),
    ])
    const text = [
      `Keyspace ${keyspace}: schema ${version ?? 'none'} (${engineSchemaVersion} is needed), ${copies ?? 0} copies of each row.`,
      table(['node', 'state', 'version', 'answers in', 'clock ahead'], rows),
    ].join('\n')
    report(asJson, { ...about, nodes }, text)
  })
}

async function withEngine(
  config: Config,
  work: (engine: Engine, datacenter: string) => Promise<void>,
): Promise<void> {
  if (config.engine === undefined) {
    throw new ConfigError(
      'There is no engine in the settings.',
      'Set SLIPSTREAM_ENGINE=cql://user@host,host/keyspace (docs/CLUSTER.md).',
    )
  }
  const { datacenter } = parseEngineAddress(config.engine)
  let engine: Engine | undefined
  try {
    engine = await connectEngine(config)
    await work(engine, datacenter)
  } catch (error) {
    if (!(error instanceof EngineUnavailableError)) throw error
    throw new CliError(
      `The engine can’t be used: ${error.message}`,
      'See that its nodes run and that SLIPSTREAM_ENGINE names them, their user and their data centre (?dc=NAME).',
    )
  } finally {
    await engine?.close()
  }
}

function copies(text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && value >= 1 && value <= MOST_COPIES) return value
  throw new InvalidArgumentError(`A whole number from 1 to ${MOST_COPIES}.`)
}
