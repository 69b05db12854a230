// Labels: which labelers are followed, and how their streams and queries are handled. Configured labelers are
// always followed, plus those that members' requests named last, within limits for each member and for all
// together (naming.ts). Labels on accounts unknown here are not kept. Shown subjects are queried: once a day
// where a stream reports changes, often where none does. An unreachable labeler breaks nothing: its labels
// stay as last read.

import { MINUTE_MS } from '../../base/util/durations.ts'
import { allLabelers, nameLabeler } from '../../data/store/moderation/labelers.ts'
import { noRetry, type WriteRetry } from '../../data/store/write-retry.ts'
import { createFirstLookups } from './first-lookups.ts'
import { createFollowedStreams } from './followed-streams.ts'
import { createLabelQueries } from './label-queries.ts'
import { createLabelSweep } from './label-sweep.ts'
import { defaultLabelLimits, type LabelLimits, type LabelsContext } from './labels-context.ts'
import { createNaming } from './naming.ts'

export type Labels = {
  start(): void
  /** Records that a member's request named these labelers. @param by - DID of the member. */
  named(dids: readonly string[], by: string): void
  /** Queries these labelers for labels on the shown subjects. */
  requested(labelers: readonly string[], subjects: readonly string[]): void
  stop(): Promise<void>
}

type LabelsOptions = Omit<LabelsContext, 'isConfigured' | 'limits' | 'writeRetry'> & {
  /** DIDs that are always followed. */
  configured: readonly string[]
  /** Called when the backfill has new work. */
  onWork: () => void
  writeRetry?: WriteRetry
  limits?: Partial<LabelLimits>
}

const RETRY_CONFIGURED_MS = MINUTE_MS
const SWEEP_EVERY_MS = MINUTE_MS

export function createLabels(options: LabelsOptions): Labels {
  const limits = { ...defaultLabelLimits, ...options.limits }
  const configured = new Set(options.configured)
  const isConfigured = (did: string) => configured.has(did)
  const context: LabelsContext = { writeRetry: noRetry, ...options, isConfigured, limits }
  const { db, actors, writer, now } = context
  const naming = createNaming(context)
  const streams = createFollowedStreams(context, {
    naming,
    onSkipped: (did) => queries.forget(did),
    onUnsigned: (did, uri) => queries.doubt(did, uri),
  })
  const queries = createLabelQueries(context, streams.isFollowed)
  const firstLookups = createFirstLookups(context, (did, subjects) => {
    options.onWork()
    streams.follow()
    queries.want(did, subjects)
  })
  const sweeping = startSweep(context)
  let timer: NodeJS.Timeout | undefined

  const known = () => new Map(allLabelers(db).map(({ uid }) => [actors.didOf(uid), uid]))

  /** Retries until each configured labeler was found once. */
  function meetConfigured(): void {
    timer = undefined
    const unknown = [...configured].filter((did) => !known().has(did))
    for (const did of unknown) if (firstLookups.mayMeet(did)) void firstLookups.meet(did)
    if (unknown.length > 0) timer = setTimeout(meetConfigured, RETRY_CONFIGURED_MS)
  }

  function remember(uids: readonly number[]): void {
    writer.commit(({ db }) => {
      for (const uid of uids) nameLabeler(db, uid, now())
    })
    streams.follow()
  }

  return {
    start() {
      streams.follow()
      meetConfigured()
    },
    named(dids, by) {
      const uids = known()
      const met = dids.flatMap((did) => uids.get(did) ?? [])
      for (const did of dids) if (uids.has(did)) naming.note(did, by)
      if (met.length > 0) remember(met)
      for (const did of dids) {
        if (uids.has(did) || !firstLookups.mayMeet(did) || !naming.mayLookUp(by)) continue
        naming.note(did, by)
        void firstLookups.meet(did, by)
      }
    },
    requested(labelers, subjects) {
      const uids = known()
      for (const did of labelers) {
        if (uids.has(did)) queries.want(did, subjects)
        else firstLookups.want(did, subjects)
      }
    },
    async stop() {
      firstLookups.stop()
      clearTimeout(timer)
      clearInterval(sweeping)
      await Promise.all([streams.stop(), queries.stop()])
    },
  }
}

function startSweep({ writeRetry, writer }: LabelsContext): NodeJS.Timeout {
  const sweep = createLabelSweep()
  const step = () => writer.commit(({ db }) => void sweep.step(db))
  return setInterval(() => writeRetry.ifThereIsSpace(step), SWEEP_EVERY_MS).unref()
}
