// Checks the CQL engine that several nodes share: whether it is reachable, survives the loss of a node, has
// our tables, and has synchronised clocks.

import { settingsOf } from '../../../base/config/every-setting.ts'
import type { DoctorContext } from '../../../tools/doctor/context.ts'
import { here } from '../../../tools/doctor/cures.ts'
import { type Finding, good, notice, unchecked, wrong } from '../../../tools/doctor/finding.ts'
import { connectEngine, type Engine } from '../engine/connect.ts'
import { leaseOverview } from '../engine/lease-overview.ts'
import { createLeaseTable } from '../engine/lease-table.ts'
import { type EngineNode, engineNodes } from '../engine/nodes.ts'
import { engineSchemaVersion, replicationOf, schemaState } from '../engine/schema.ts'
import { clusterSettings, parseEngineAddress } from '../settings.ts'

const SLOW_MS = 50
const SKEW_MS = 1_000
const SAFE_COPIES = 3

export async function checkEngine({ config }: DoctorContext): Promise<Finding[]> {
  const settings = settingsOf(config, clusterSettings)
  if (settings.engine === undefined) return [unchecked('none: this node works alone')]
  const { datacenter } = parseEngineAddress(settings.engine)
  let engine: Engine | undefined
  try {
    engine = await connectEngine(settings)
    const nodes = await engineNodes(engine)
    const schema = (await schemaState(engine)).version
    const copies = await replicationOf(engine, datacenter)
    const isReady = schema !== undefined && schema >= engineSchemaVersion
    const unowned = isReady ? (await leaseOverview(createLeaseTable(engine))).unowned : []
    return aboutEngine({ nodes, schema, copies, unowned: unowned.length })
  } catch (error) {
    return [
      wrong(
        `it can’t be used: ${(error as Error).message}`,
        'Check that its nodes are running, and that SLIPSTREAM_ENGINE names them, their user and their data centre (?dc=NAME).',
      ),
    ]
  } finally {
    await engine?.close()
  }
}

export function aboutEngine(found: {
  nodes: readonly EngineNode[]
  schema: number | undefined
  copies: number | undefined
  /** Buckets that no living node holds. */
  unowned: number
}): Finding[] {
  const { nodes, schema, copies, unowned } = found
  return [
    ...nodes.filter(({ isUp }) => !isUp).map(aboutAway),
    ...nodes.flatMap(aboutClock),
    ...aboutCommitLog(nodes),
    ...aboutVersions(nodes),
    aboutTables(schema),
    ...(copies === undefined ? [] : [aboutCopies(copies)]),
    ...aboutBuckets(unowned),
    aboutLatency(nodes),
  ]
}

function aboutAway({ address }: EngineNode): Finding {
  return wrong(`the node ${address} is down`, 'Start it again, or replace it.')
}

function aboutClock({ address, clockAheadMs = 0, answerMs = 0 }: EngineNode): Finding[] {
  if (Math.abs(clockAheadMs) < SKEW_MS + answerMs) return []
  const text = `the clock of ${address} is ${Math.abs(clockAheadMs)} ms ${clockAheadMs > 0 ? 'ahead of' : 'behind'} ours`
  return [notice(text, 'Set both clocks: `sudo timedatectl set-ntp true`.')]
}

/** https://cassandra.apache.org/doc/latest/cassandra/managing/configuration/cass_yaml_file.html#commitlog_sync */
function aboutCommitLog(nodes: readonly EngineNode[]): Finding[] {
  const late = nodes.filter(({ commitLogSync }) => commitLogSync === 'periodic')
  if (late.length === 0) return []
  const text = `${late.map(({ address }) => address).join(', ')} acknowledge writes before they are on disk: a crash loses them`
  const cure =
    'Set `commitlog_sync: batch` in its cassandra.yaml, remove `commitlog_sync_period`, and restart one node after the other.'
  return [notice(text, cure)]
}

function aboutVersions(nodes: readonly EngineNode[]): Finding[] {
  const versions = [...new Set(nodes.flatMap(({ version }) => version ?? []))]
  if (versions.length < 2) return []
  return [
    notice(`its nodes have different versions: ${versions.join(', ')}`, 'Finish the upgrade.'),
  ]
}

function aboutTables(schema: number | undefined): Finding {
  if (schema !== undefined && schema >= engineSchemaVersion) return good(`schema ${schema}`)
  const text = schema === undefined ? 'it has no Slipstream tables' : `it has schema ${schema}`
  return wrong(
    `${text}; this version needs ${engineSchemaVersion}`,
    `Run \`${here.command('engine migrate')}\`.`,
  )
}

function aboutCopies(copies: number): Finding {
  if (copies >= SAFE_COPIES) return good(`${copies} copies of each row`)
  return notice(
    `${copies} ${copies === 1 ? 'copy' : 'copies'} of each row: losing a node can lose data`,
    `Have three nodes, and \`ALTER KEYSPACE … WITH replication\` to ${SAFE_COPIES}; then repair.`,
  )
}

function aboutBuckets(unowned: number): Finding[] {
  if (unowned === 0) return []
  return [
    notice(
      `no node that is up holds ${unowned} of the buckets of members`,
      `Start the nodes; within five seconds they share all buckets. \`${here.command('engine status')}\` shows which node holds which.`,
    ),
  ]
}

function aboutLatency(nodes: readonly EngineNode[]): Finding {
  const slowest = Math.max(0, ...nodes.map(({ answerMs = 0 }) => answerMs))
  const up = nodes.filter(({ isUp }) => isUp).length
  const text = `${up} of ${nodes.length} nodes answer, within ${slowest} ms`
  return slowest < SLOW_MS ? good(text) : notice(`${text}, which is slow`)
}
