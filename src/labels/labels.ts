// Labels by labelers: which labelers are followed, what comes of their streams, and what is asked of them.
//
// Always followed are the configured labelers, and besides those that members' requests named last. What
// a labeler says about others than accounts known here is not kept; what is shown is asked for, once a day
// where a stream tells of changes, often where none does. Where a labeler can't be reached nothing fails:
// its labels are those of yesterday.

import { internActor } from '../indexing/index-context.ts'
import { wantMissing } from '../indexing/wanted.ts'
import { allLabelers, nameLabeler } from '../store/labelers.ts'
import { impatient, type Patience } from '../store/patience.ts'
import { createFollowedStreams } from './followed-streams.ts'
import { createLabelQueries } from './label-queries.ts'
import { findLabeler } from './labeler-identity.ts'
import { defaultLabelLimits, type LabelLimits, type LabelsParts } from './labels-parts.ts'

export type Labels = {
  start(): void
  /** A member's request named these labelers. */
  named(dids: readonly string[]): void
  /** What these say of what was shown. */
  wanted(labelers: readonly string[], subjects: readonly string[]): void
  stop(): Promise<void>
}

export type LabelsOptions = Omit<LabelsParts, 'limits' | 'patience'> & {
  /** DIDs that are always followed. */
  configured: readonly string[]
  /** There is work for the backfill. */
  onWork: () => void
  patience?: Patience
  limits?: Partial<LabelLimits>
}

const RETRY_CONFIGURED_MS = 60_000
const MAX_LOOKED_UP = 20

export function createLabels(options: LabelsOptions): Labels {
  const limits = { ...defaultLabelLimits, ...options.limits }
  const parts: LabelsParts = { patience: impatient, ...options, limits }
  const { db, actors, indexer, publish, patience, now } = parts
  const configured = new Set(options.configured)
  const streams = createFollowedStreams(parts, {
    configured,
    onSkipped: (did) => queries.forget(did),
  })
  const queries = createLabelQueries(parts, streams.isFollowed)
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let lookingUp = 0

  const known = () => new Map(allLabelers(db).map(({ uid }) => [actors.didOf(uid), uid]))

  /** Those that exist get a row; the rest is asked again when it is named again. */
  async function meet(did: string): Promise<void> {
    if (lookingUp >= MAX_LOOKED_UP) return
    lookingUp++
    const identity = await findLabeler(parts.resolver, did).finally(() => lookingUp--)
    if (!identity || isStopped) return
    const get = () =>
      indexer.run((ctx) => {
        nameLabeler(db, internActor(ctx, did), now())
        wantMissing(ctx, { uris: [`at://${did}/app.bsky.labeler.service/self`], dids: [did] })
      })
    await patience.patiently(() => publish(get()))
    if (isStopped) return
    options.onWork()
    streams.follow()
  }

  /** Until each of the configured labelers was found once. */
  function meetConfigured(): void {
    timer = undefined
    const unknown = [...configured].filter((did) => !known().has(did))
    for (const did of unknown) void meet(did)
    if (unknown.length > 0) timer = setTimeout(meetConfigured, RETRY_CONFIGURED_MS)
  }

  function remember(uids: readonly number[]): void {
    const nameAll = () => {
      for (const uid of uids) nameLabeler(db, uid, now())
    }
    publish(indexer.run(nameAll))
    streams.follow()
  }

  return {
    start() {
      streams.follow()
      meetConfigured()
    },
    named(dids) {
      const uids = known()
      const met = dids.flatMap((did) => uids.get(did) ?? [])
      if (met.length > 0) remember(met)
      for (const did of dids) if (!uids.has(did)) void meet(did)
    },
    wanted(labelers, subjects) {
      for (const did of labelers) queries.want(did, subjects)
    },
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await Promise.all([streams.stop(), queries.stop()])
    },
  }
}
