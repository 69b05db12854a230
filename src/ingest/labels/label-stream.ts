// The stream of one labeler: connects, takes frames in order, applies them together with their cursor, and
// reconnects after a pause whenever the stream ends. A labeler's history is read only if it is short. A large
// one has far more labels than this server will ever show: then the stream continues from the present, and
// shown subjects are queried instead (label-queries.ts).

import { type Connection, defaultLimits, type Ending, openConnection } from '@slipstream/jetstream'
import { mayBeTheirs } from '../../base/util/assert.ts'
import { backoffMs, jittered } from '../../base/util/backoff.ts'
import { MINUTE_MS } from '../../base/util/durations.ts'
import { pause } from '../../base/util/waits.ts'
import type { LabelerIdentity } from '../../sources/identity/labeler-identity.ts'
import { type Label, readLabels, type SignedLabel } from '../../sources/label.ts'
import { decodeFrame, isDecodable } from './frame.ts'
import { createIntake } from './frame-intake.ts'
import { createLabelApplier, type LabelApplier } from './label-applier.ts'
import type { LabelsContext } from './labels-context.ts'
import type { Pace } from './pace.ts'
import { isSignedBy } from './signature.ts'

type StreamOptions = {
  did: string
  /** seq of the last applied frame; null: from the beginning. */
  cursor: number | null
  find: (forceRefresh: boolean) => Promise<LabelerIdentity | undefined>
  /** Writes labels and `cursor` in one transaction. @returns whether there was room. */
  apply: (labels: Label[], cursor: number) => boolean
  /** The history was too long, or is no longer sent: labels are missing. */
  onSkipped: () => void
  /** The labeler has lost what came before: its stream is another one, read from its beginning. */
  onBegunAnew: () => void
  /** A label on this subject was not signed with the labeler's key, as far as that is known now. */
  onUnsigned: (uri: string) => void
  /** The labeler broke a limit; the stream is closed. */
  onBroken: (reason: string) => void
  paces: readonly Pace[]
  isKnown: (uri: string) => boolean
  context: Pick<LabelsContext, 'limits' | 'log' | 'lookupFor' | 'now' | 'onDropped' | 'writeRetry'>
}

export type LabelStream = { stop(): Promise<void> }

const RENEW_KEY_AFTER_MS = MINUTE_MS
/** Pacing cost of one label, in bytes read: mostly for its signature. */
const LABEL_COST = 512
/** On one connection. */
const MAX_UNREADABLE = 1_000

type Progress = {
  cursor: number | null
  identity: LabelerIdentity
  renewedAt: number
  /** Past labels read on this connection; undefined once it has caught up. */
  past: number | undefined
  unreadable: number
  /** The labeler said so of the cursor of this connection. */
  isOutdated: boolean
  applier: LabelApplier
}

/**
 * Signatures are checked only for labels on known subjects; other labels are dropped. A bad
 * signature triggers a lookup of a new key, at most once in a while; frames wait for it. After a
 * labeler breaks a limit this function does not reconnect: it calls `onBroken`, and quarantine.ts
 * decides.
 */
export function followLabels(options: StreamOptions): LabelStream {
  const { context, did } = options
  const { limits, log } = context
  const bounds = { firstMs: limits.retryMs, longestMs: limits.maxRetryMs }
  const stopping = new AbortController()
  const { signal } = stopping
  let cursor = options.cursor
  /** Whether to continue from the present and skip the missed labels. */
  let fromNow = false
  /** Nothing came from where it was last: it may have moved. */
  let isUnheard = false

  async function run(): Promise<void> {
    for (let failures = 0; !signal.aborted; failures++) {
      const identity = await options.find(isUnheard)
      if (signal.aborted) return
      if (identity) {
        const applier = createLabelApplier(options.apply)
        const past = fromNow ? undefined : 0
        const progress: Progress = {
          cursor,
          identity,
          renewedAt: 0,
          past,
          applier,
          unreadable: 0,
          isOutdated: false,
        }
        const { ending, isTooLong, received } = await connect(options, {
          progress,
          fromNow,
          signal,
        })
        await applier.ended(signal)
        cursor = progress.cursor
        if (received > 0) failures = 0
        isUnheard = received === 0
        log.debug({ did, ending, received }, 'a label stream ended')
        if (ending.kind === 'broken' && !signal.aborted) return options.onBroken(ending.message)
        fromNow = isTooLong
        if (isFutureCursor(ending) && cursor !== null) {
          cursor = null
          options.onBegunAnew()
        }
        if (isTooLong) {
          options.onSkipped()
          continue
        }
      }
      await pause(jittered(backoffMs({ ...bounds, failures })), signal)
    }
  }

  const running = run()
  return {
    stop: () => {
      stopping.abort()
      return running
    },
  }
}

type Report = { kind: 'error'; error: string } | { kind: 'broken'; message: string }

type Outcome = {
  ending: Ending | Report
  isTooLong: boolean
  received: number
}

async function connect(
  options: StreamOptions,
  { progress, fromNow, signal }: { progress: Progress; fromNow: boolean; signal: AbortSignal },
): Promise<Outcome> {
  const { context } = options
  const url = streamUrl(progress.identity.origin, fromNow ? undefined : (progress.cursor ?? 0))
  const lookup = lookupOf(context, url)
  if (!lookup)
    return { ending: { kind: 'unreachable', message: 'guarded' }, isTooLong: false, received: 0 }
  const { maxFrameBytes, maxWaitingBytes } = context.limits
  const outcome = { isTooLong: false, received: 0, reported: undefined as Report | undefined }

  async function read(frame: Buffer): Promise<boolean> {
    outcome.received++
    // Labels taken while the disk is full would have to stay in memory.
    await context.writeRetry.untilSpace(signal)
    const reported = await takeFrame(options, { progress, signal, frame })
    if (reported === undefined || signal.aborted) return true
    if (reported === 'too-long') outcome.isTooLong = true
    else outcome.reported = reported
    connection.leave()
    return false
  }

  const intake = createIntake({
    maxWaitingBytes,
    signal,
    read,
    paces: options.paces,
    pause: () => connection.pause(),
    resume: () => connection.resume(),
  })
  const connection: Connection = openConnection({
    url: url.href,
    limits: { ...defaultLimits, maxFrameBytes },
    maxPayloadBytes: maxFrameBytes,
    lookup,
    onOpen: () => undefined,
    onFrame: (data) => intake.take(data),
  })
  const leave = () => connection.leave()
  signal.addEventListener('abort', leave, { once: true })
  const ended = await connection.ended
  signal.removeEventListener('abort', leave)
  await intake.ended()
  const { isTooLong, received, reported } = outcome
  return { ending: reported ?? ended, isTooLong, received }
}

function lookupOf({ lookupFor }: StreamOptions['context'], url: URL) {
  try {
    return lookupFor(url)
  } catch {
    return undefined
  }
}

type Reading = { progress: Progress; signal: AbortSignal; frame: Buffer }

/** @returns what ends the connection, if anything does. */
async function takeFrame(
  options: StreamOptions,
  work: Reading,
): Promise<Report | 'too-long' | undefined> {
  const read = await readFrame(options, work)
  return !read || 'kind' in read ? read : applyFrame(options, work.progress, read)
}

type ReadFrame = { seq: number; signed: SignedLabel[]; accepted: Label[] }

/** Any error while reading a stranger's frame ends that stream and nothing else. */
async function readFrame(
  options: StreamOptions,
  work: Reading,
): Promise<Report | ReadFrame | undefined> {
  try {
    return await checkedLabels(options, work)
  } catch (error) {
    if (!mayBeTheirs(error)) throw error
    const { did, context } = options
    context.onDropped?.('unforeseen')
    context.log.warn?.(
      { err: error, did },
      'a labeler’s frame could not be read: please report this',
    )
    return { kind: 'broken', message: 'a frame could not be read' }
  }
}

async function checkedLabels(
  options: StreamOptions,
  { progress, signal, frame: data }: Reading,
): Promise<Report | ReadFrame | undefined> {
  const { limits, onDropped } = options.context
  const { maxFrameLabels } = limits
  if (!isDecodable(data, maxFrameLabels)) return { kind: 'broken', message: 'a frame is a bomb' }
  const frame = decodeFrame(data)
  if (frame?.kind === 'error') return frame
  if (!frame) return unreadable(progress, onDropped)
  if (frame.kind === 'info' && frame.name === 'OutdatedCursor' && !progress.isOutdated) {
    progress.isOutdated = true
    options.onSkipped()
  }
  if (frame.kind !== 'labels') return undefined
  if (frame.labels.length > maxFrameLabels) {
    return { kind: 'broken', message: `a frame has more than ${maxFrameLabels} labels` }
  }
  for (const pace of options.paces) await pace.take(frame.labels.length * LABEL_COST, signal)
  const signed = readLabels(frame.labels, options.did, onDropped)
  const accepted: Label[] = []
  for (const signedLabel of signed) {
    if (!options.isKnown(signedLabel.label.uri)) onDropped?.('unknown')
    else if (await isSigned(options, progress, signedLabel)) accepted.push(signedLabel.label)
    else {
      onDropped?.('unsigned')
      options.onUnsigned(signedLabel.label.uri)
    }
  }
  return { seq: frame.seq, signed, accepted }
}

function applyFrame(
  { context }: StreamOptions,
  progress: Progress,
  { seq, signed, accepted }: ReadFrame,
): 'too-long' | undefined {
  const { limits, now } = context
  progress.cursor = seq
  progress.applier.add(accepted, seq)
  const isPast =
    signed.length > 0 && signed.every(({ label }) => now() - Date.parse(label.cts) > limits.pastMs)
  if (!isPast) progress.past = undefined
  else if (progress.past !== undefined) progress.past += signed.length
  return (progress.past ?? 0) > limits.maxPast ? 'too-long' : undefined
}

function unreadable(progress: Progress, onDropped: LabelsContext['onDropped']): Report | undefined {
  onDropped?.('unreadable')
  const isTooMuch = ++progress.unreadable > MAX_UNREADABLE
  return isTooMuch ? { kind: 'broken', message: 'what it sends is no frames' } : undefined
}

async function isSigned(
  { find, context }: StreamOptions,
  progress: Progress,
  label: SignedLabel,
): Promise<boolean> {
  if (isSignedBy(label, progress.identity.key)) return true
  if (context.now() - progress.renewedAt < RENEW_KEY_AFTER_MS) return false
  progress.renewedAt = context.now()
  progress.identity = (await find(true)) ?? progress.identity
  return isSignedBy(label, progress.identity.key)
}

function streamUrl(origin: string, cursor: number | undefined): URL {
  const url = new URL('/xrpc/com.atproto.label.subscribeLabels', origin)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  if (cursor !== undefined) url.searchParams.set('cursor', String(cursor))
  return url
}

function isFutureCursor(ending: Outcome['ending']): boolean {
  return ending.kind === 'error' && ending.error === 'FutureCursor'
}
