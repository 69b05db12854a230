// The open streams, one for each followed labeler, chosen from the rows: the configured labelers, then those
// named last, with at most a few for each member, and none that is in quarantine (quarantine.ts).

import { HOUR_MS, MAX_TIMER_MS } from '../../base/util/durations.ts'
import {
  allLabelers,
  beginLabelerAnew,
  deleteLabeler,
  type LabelerRow,
  moveLabelerCursor,
} from '../../data/store/moderation/labelers.ts'
import { findLabeler } from '../../sources/identity/labeler-identity.ts'
import { applyLabels, labelSubject } from '../indexing/moderation/label.ts'
import { capacityForLabels, countStoredLabels } from './label-capacity.ts'
import { followLabels, type LabelStream } from './label-stream.ts'
import type { LabelsContext } from './labels-context.ts'
import type { Naming } from './naming.ts'
import { createPace, type Pace } from './pace.ts'
import { createQuarantine, type Quarantine } from './quarantine.ts'

type FollowedStreams = {
  /** Opens and closes streams to match the rows, and forgets the labelers named longest ago. */
  follow(): void
  isFollowed(did: string): boolean
  stop(): Promise<void>
}

type Options = {
  naming: Pick<Naming, 'sponsorOf'>
  onSkipped: (did: string) => void
  onUnsigned: (did: string, uri: string) => void
}

type Row = LabelerRow & { did: string }

type Choice = Options & { quarantine: Quarantine; isOpen: (did: string) => boolean }

/** Factor for configured labelers, which the operator chose. */
const CONFIGURED_FACTOR = 8

export function createFollowedStreams(context: LabelsContext, options: Options): FollowedStreams {
  const { limits } = context
  const streams = new Map<string, { stream: LabelStream; uid: number }>()
  const ending = new Set<Promise<void>>()
  const quarantine = createQuarantine(context)
  const together = createPace(limits.bytesPerSecondTogether)
  let timer: NodeJS.Timeout | undefined
  let isStopped = false

  function leave(did: string): void {
    const { stream, uid } = streams.get(did)!
    streams.delete(did)
    const ended = stream.stop().then(() => quarantine.mark(uid, false))
    ending.add(ended)
    void ended.finally(() => ending.delete(ended))
  }

  function open(row: Row): void {
    const { did, uid } = row
    const isConfigured = context.isConfigured(did)
    quarantine.mark(uid, true)
    const stream = openStream(context, row, {
      paces: isConfigured
        ? [createPace(limits.bytesPerSecond * CONFIGURED_FACTOR)]
        : [createPace(limits.bytesPerSecond), together],
      onSkipped: () => options.onSkipped(did),
      onUnsigned: (uri) => options.onUnsigned(did, uri),
      onBroken(reason) {
        streams.delete(did)
        quarantine.mark(uid, false)
        quarantine.broke(uid, reason)
        follow()
      },
    })
    streams.set(did, { stream, uid })
  }

  function follow(): void {
    if (isStopped) return
    const rows = rowsToFollow(context, {
      ...options,
      quarantine,
      isOpen: (did) => streams.has(did),
    })
    const followed = new Set(rows.map(({ did }) => did))
    for (const did of [...streams.keys()]) if (!followed.has(did)) leave(did)
    for (const row of rows) if (!streams.has(row.did)) open(row)
    clearTimeout(timer)
    const nextMs = quarantine.nextMs()
    if (nextMs !== undefined) timer = setTimeout(follow, Math.min(nextMs, MAX_TIMER_MS)).unref()
  }

  return {
    follow,
    isFollowed: (did) => streams.has(did),
    async stop() {
      isStopped = true
      clearTimeout(timer)
      for (const did of [...streams.keys()]) leave(did)
      await Promise.all(ending)
      quarantine.stop()
    },
  }
}

function rowsToFollow(context: LabelsContext, { naming, quarantine, isOpen }: Choice): Row[] {
  const { db, actors, isConfigured, limits, now } = context
  const rows = allLabelers(db).map((row) => ({ ...row, did: actors.didOf(row.uid) }))
  const always = rows.filter(({ did }) => isConfigured(did))
  const others = rows.filter(({ did }) => !isConfigured(did))
  const isForgotten = ({ named_at }: Row, i: number) =>
    i >= limits.maxRemembered || now() - named_at > limits.forgottenAfterMs
  forget(context, others.filter(isForgotten))
  const remembered = others.filter((row, i) => !isForgotten(row, i))
  const free = (row: Row) => quarantine.isFree(row)
  const inTurn = remembered.filter(free).sort(byTurn(isOpen))
  return [...always.filter(free), ...fairly(inTurn, { naming, limits })]
}

/** Sorts by the hour last named, latest first; within an hour an open stream keeps its place. */
function byTurn(isOpen: Choice['isOpen']): (a: Row, b: Row) => number {
  const hourOf = ({ named_at }: Row) => Math.floor(named_at / HOUR_MS)
  return (a, b) =>
    hourOf(b) - hourOf(a) ||
    Number(isOpen(b.did)) - Number(isOpen(a.did)) ||
    b.named_at - a.named_at
}

/** The labelers named last, within the limits in total and for each member. */
function fairly(
  rows: readonly Row[],
  { naming, limits }: Pick<Options, 'naming'> & Pick<LabelsContext, 'limits'>,
): Row[] {
  const taken = new Map<string | number, number>()
  const followed: Row[] = []
  for (const row of rows) {
    if (followed.length >= limits.maxFollowed) break
    const sponsor = naming.sponsorOf(row)
    const count = taken.get(sponsor ?? '') ?? 0
    if (sponsor !== undefined && count >= limits.maxFollowedEach) continue
    if (sponsor !== undefined) taken.set(sponsor, count + 1)
    followed.push(row)
  }
  return followed
}

function forget({ writer, writeRetry }: LabelsContext, rows: readonly Row[]): void {
  if (rows.length === 0) return
  writeRetry.ifThereIsSpace(() =>
    writer.commit(({ db }) => {
      for (const { uid } of rows) deleteLabeler(db, uid)
    }),
  )
}

type Terms = {
  paces: readonly Pace[]
  onSkipped: () => void
  onUnsigned: (uri: string) => void
  onBroken: (reason: string) => void
}

function openStream(context: LabelsContext, { uid, did, cursor }: Row, terms: Terms): LabelStream {
  const { actors, writer, writeRetry, onDropped } = context
  const { paces, onBroken, onSkipped, onUnsigned } = terms
  return followLabels({
    did,
    cursor,
    context,
    paces,
    onBroken,
    onSkipped,
    onUnsigned,
    onBegunAnew() {
      writeRetry.ifThereIsSpace(() =>
        writer.commit((ctx) => beginLabelerAnew(ctx.db, uid, context.now())),
      )
      onSkipped()
    },
    find: (forceRefresh) => findLabeler(context.resolver, did, { forceRefresh }),
    isKnown: (uri) => labelSubject({ actors }, uri) !== undefined,
    apply(labels, reached) {
      const capacity = capacityForLabels(context, did, uid)
      let done = { changed: 0, added: 0, refused: 0 }
      const isWritten = writeRetry.ifThereIsSpace(() =>
        writer.commit((ctx) => {
          done = applyLabels(ctx, did, labels, { capacity, isStreamed: true })
          countStoredLabels(ctx.db, uid, done.added)
          moveLabelerCursor(ctx.db, uid, reached)
        }),
      )
      if (!isWritten) return false
      context.onApplied?.(done.changed)
      for (let i = 0; i < done.refused; i++) onDropped?.('too-many')
      return true
    },
  })
}
