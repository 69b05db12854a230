// What a serving thread shares with other nodes. A feature may decide changes elsewhere and bring those of other
// nodes; on a single node, the thread's own parts are used unchanged.

import type { FollowGraphReader, TimelineReader } from '@slipstream/follow-graph'
import type { Config } from '../../base/config/config.ts'
import type { FeatureGauge } from '../../base/feature.ts'
import type { Logger } from '../../base/obs/log.ts'
import type { IngestConnection } from '../../bridge/connection.ts'
import type { SharedMemory, Writer } from '../../bridge/messages.ts'
import type { IsDrawn } from '../../data/graph/lossiness.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import type { Db } from '../../data/store/db.ts'
import type { OnViewer } from '../server/auth.ts'

export type Sharing = {
  writer: Writer
  /** Takes the operator's requests. */
  operate: IngestConnection['operate']
  /**
   * Whether one more account may become a member on all nodes; undefined if only this node decides.
   */
  hasSeat: (() => boolean) | undefined
  /** Makes members' requests wait until other nodes' changes are taken in. */
  withState<Callers extends { onViewer: OnViewer }>(callers: Callers): Callers
  /** Whether the error was logged where it was detected. */
  isLogged(error: unknown): boolean
  /** Lets other nodes take over immediately, not only once the last request ends. */
  leave(): Promise<void>
  /** How long it keeps answering after it was told to stop. */
  leavesForMs: number
  /** What other features share through it, by the feature's name; its part checks the type. */
  ofFeatures: Readonly<Record<string, unknown>>
  /** Home timelines of members that are on other nodes; undefined if there are no others. */
  homes:
    | {
        homes: { requested(viewer: { did: string; uid: number }): Promise<boolean> | undefined }
        timelines: TimelineReader
      }
    | undefined
  gauges(): Readonly<Record<FeatureGauge, number>>
  close(): void
}

export type SharingContext = {
  config: Config
  log: Logger
  ingest: IngestConnection
  /** Index of the serving thread, from 0. */
  thread: number
  memory: SharedMemory
  db: Db
  actors: ActorReader
  graph: FollowGraphReader
  isDrawn: IsDrawn
  timelines: TimelineReader
}

/** @param list - features, of which at most one shares */
export function shareWith(
  list: readonly { share?(context: SharingContext): Sharing | undefined }[],
  context: SharingContext,
): Sharing {
  for (const item of list) {
    const sharing = item.share?.(context)
    if (sharing) return sharing
  }
  return alone(context.ingest)
}

function alone({ writer, operate }: Pick<IngestConnection, 'writer' | 'operate'>): Sharing {
  return {
    writer,
    operate,
    hasSeat: undefined,
    withState: (callers) => callers,
    isLogged: () => false,
    leave: async () => undefined,
    leavesForMs: 0,
    ofFeatures: {},
    homes: undefined,
    gauges: () => ({}),
    close() {},
  }
}
