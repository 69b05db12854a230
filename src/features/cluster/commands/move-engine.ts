// `slipstream move-to-engine` and `move-from-engine`: move a single node's cluster to an engine that several
// nodes can share, and back (moving/). Never with a server running.

import type { Command } from 'commander'
import type { Config } from '../../../base/config/config.ts'
import { ConfigError } from '../../../base/config/config.ts'
import type { CliContext } from '../../../tools/cli/context.ts'
import { findServer } from '../../../tools/cli/control-client.ts'
import { type JsonOption, withJson } from '../../../tools/cli/json-option.ts'
import { refuseMissing, writingOwn } from '../../../tools/cli/offline.ts'
import { type Progress, report, startProgress, thousands } from '../../../tools/cli/terminal.ts'
import { here } from '../../../tools/doctor/cures.ts'
import type { MovedFromEngine } from '../moving/from-engine.ts'
import type { MoveContext, MovingClusterState } from '../moving/moving-cluster-state.ts'
import type { MovedToEngine } from '../moving/to-engine.ts'
import { withEngine } from './engine.ts'

type FromOptions = JsonOption & { withoutEngine?: boolean }

const TO_HELP = `
SLIPSTREAM_ENGINE names the engine and a new keyspace (\`slipstream engine migrate\` creates its tables). Stop all
servers first. If the move is interrupted, run this again to continue, or \`slipstream move-from-engine\` to give it
up; no server uses the engine until it is done. The node keeps its data folder, and others start with empty
ones. docs/CLUSTER.md lists what moves.

Example:
  slipstream move-to-engine && slipstream serve`

const FROM_HELP = `
Stop all servers, and run this on the node whose data folder you keep, with SLIPSTREAM_ENGINE still set; remove
the setting afterwards. If the move is interrupted, run this again to continue, there or on another node. The
keyspace keeps its data, but no server uses it any more.

Use --without-engine if the engine is lost. Only the data in this folder remains then.

Example:
  slipstream move-from-engine`

export function addMoveEngine(program: Command, context: CliContext): void {
  withJson(program.command('move-to-engine'))
    .description('move this node’s data to the engine, for several nodes to share')
    .addHelpText('after', TO_HELP)
    .action(({ json }: JsonOption) => moveTo(context, json))
  withJson(program.command('move-from-engine'))
    .description('move shared data from the engine back into this data folder')
    .option('--without-engine', 'only detach from a lost engine, and keep the data here')
    .addHelpText('after', FROM_HELP)
    .action((options: FromOptions) => moveFrom(context, options))
}

async function moveTo(context: CliContext, json?: boolean): Promise<void> {
  const { moveToEngine } = await import('../moving/to-engine.ts')
  await moving(context.config(), async (parts) => {
    const moved = await moveToEngine(parts)
    report(json, moved, describeTo(moved))
  })
}

async function moveFrom(context: CliContext, { json, withoutEngine }: FromOptions): Promise<void> {
  const { leaveWithoutEngine, moveFromEngine } = await import('../moving/from-engine.ts')
  const config = context.config()
  if (withoutEngine) {
    await refuseServer(config)
    await writingOwn(config, (parts) => {
      const clusterId = leaveWithoutEngine(parts)
      const text = `This data folder is detached from ${clusterId}. Remove SLIPSTREAM_ENGINE from the settings, and start the server.`
      report(json, { place: clusterId }, text)
    })
    return
  }
  await moving(config, async (parts) => {
    const moved = await moveFromEngine(parts)
    report(json, moved, describeFrom(moved))
  })
}

/** With the folder locked and the engine connected. */
async function moving(
  config: Config,
  work: (context: MoveContext) => Promise<void>,
): Promise<void> {
  await refuseServer(config)
  const { openMovingClusterState } = await import('../moving/moving-cluster-state.ts')
  const { createWriterRequests } = await import(
    '../../../ingest/upkeep/requests/writer-requests.ts'
  )
  const { errorOf } = await import('../../../bridge/connection.ts')
  const { ingest } = await import('../ingest.ts')
  await withEngine(config, async (engine) => {
    const cluster: MovingClusterState = await openMovingClusterState(engine)
    await writingOwn(config, async ({ db, actors, writer }) => {
      const answer = createWriterRequests({
        writer,
        ofFeatures: ingest.requests,
        openTimeline() {},
        wakeBackfill() {},
      })
      const requests: MoveContext['requests'] = {
        async send(request) {
          const reply = answer({ ...request, id: 0 })
          if (!reply.ok) throw errorOf(reply)
        },
      }
      const steps = showSteps()
      try {
        const { onProgress } = steps
        await work({ cluster, db, actors, writer, requests, config, onProgress, now: Date.now })
      } finally {
        steps.stop()
      }
    })
  })
}

async function refuseServer({ dataDir }: Config): Promise<void> {
  refuseMissing(dataDir)
  if (!(await findServer(dataDir))) return
  throw new ConfigError(
    'A server is using this data folder.',
    `${here.stop} Stop all other nodes of its cluster, too.`,
  )
}

function showSteps() {
  let progress: Progress | undefined
  let current = ''
  return {
    onProgress(step: string, done: number, all: number): void {
      if (step !== current) {
        progress?.stop()
        progress = startProgress(`moving ${step}`, all, thousands)
        current = step
      }
      progress?.update(done)
    },
    stop: () => progress?.stop(),
  }
}

function describeTo(moved: MovedToEngine): string {
  const { members, timelines, events, isNumberedOn } = moved
  return [
    `The engine now has ${thousands(members)} members with all their data, and ${thousands(timelines)} custom timelines with ${thousands(events)} events.`,
    isNumberedOn
      ? 'Members’ timelines keep their numbers.'
      : 'Members’ timelines (following:) start with new numbers, since the old ones are too high for the engine: readers must start without a cursor.',
    'Start the server now. Start further nodes with empty data folders.',
  ].join('\n')
}

function describeFrom({ members, timelines, isGivenUp }: MovedFromEngine): string {
  const what = isGivenUp
    ? 'The move to the engine is cancelled; this data folder is as before.'
    : `This data folder has all data of ${thousands(members)} members and ${thousands(timelines)} custom timelines.`
  return `${what}\nRemove SLIPSTREAM_ENGINE from the settings, and start the server.`
}
