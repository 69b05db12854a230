// The stream of one labeler: connect, take frames in order, apply them with the cursor that they reach,
// and again after a while wherever it ends.
//
// The past of a labeler is taken as far as it is short. A large one has far more labels than anybody
// here will ever see: then the stream goes on from now, and what is shown is asked for (label-queries.ts).
//
// A signature is only checked for labels that are about somebody known here: the others are not kept. One
// that does not fit makes us look for a new key, once in a while; frames wait for it.

import type { Connection, Ending } from '../jetstream/connection.ts'
import { openConnection } from '../jetstream/connection.ts'
import { defaultLimits } from '../jetstream/limits.ts'
import { decodeFrame } from './frame.ts'
import { type Label, readLabels, type SignedLabel } from './label.ts'
import { createLabelApplier, type LabelApplier } from './label-applier.ts'
import type { LabelerIdentity } from './labeler-identity.ts'
import type { LabelsParts } from './labels-parts.ts'
import { isSignedBy } from './signature.ts'

export type StreamOptions = {
  did: string
  /** seq of the last frame applied; null: from the beginning. */
  cursor: number | null
  find: (forceRefresh: boolean) => Promise<LabelerIdentity | undefined>
  /** One transaction: these labels, and that the stream was applied up to `cursor`. @returns whether it found room. */
  apply: (labels: Label[], cursor: number) => boolean
  /** The past was too long: labels are missing. */
  onSkipped: () => void
  isKnown: (uri: string) => boolean
  parts: Pick<LabelsParts, 'limits' | 'log' | 'lookupFor' | 'now' | 'onDropped' | 'patience'>
}

export type LabelStream = { stop(): Promise<void> }

const MAX_FRAME_BYTES = 1 << 20
/** Frames that wait; then the socket does. */
const MAX_WAITING = 256
const RENEW_KEY_AFTER_MS = 60_000

type Progress = {
  cursor: number | null
  identity: LabelerIdentity
  renewedAt: number
  /** Labels of the past since the connection was made; undefined once it has caught up. */
  past: number | undefined
  applier: LabelApplier
}

export function followLabels(options: StreamOptions): LabelStream {
  const { parts, did } = options
  const { limits, log } = parts
  const stopping = new AbortController()
  const { signal } = stopping
  let cursor = options.cursor
  /** Whether to go on from now, leaving out what was missed. */
  let fromNow = false

  async function run(): Promise<void> {
    for (let failures = 0; !signal.aborted; failures++) {
      const identity = await options.find(false)
      if (signal.aborted) return
      if (identity) {
        const applier = createLabelApplier(options.apply)
        const past = fromNow ? undefined : 0
        const progress: Progress = { cursor, identity, renewedAt: 0, past, applier }
        const { ending, isTooLong, received } = await connect(options, {
          progress,
          fromNow,
          signal,
        })
        await applier.ended(signal)
        cursor = progress.cursor
        if (received > 0) failures = 0
        log.debug({ did, ending, received }, 'a label stream ended')
        fromNow = isTooLong
        if (isFutureCursor(ending)) cursor = null
        if (isTooLong) {
          options.onSkipped()
          continue
        }
      }
      await pause(Math.min(limits.retryMs * 2 ** Math.min(failures, 20), limits.maxRetryMs), signal)
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

type Outcome = {
  ending: Ending | { kind: 'error'; error: string }
  isTooLong: boolean
  received: number
}

async function connect(
  options: StreamOptions,
  { progress, fromNow, signal }: { progress: Progress; fromNow: boolean; signal: AbortSignal },
): Promise<Outcome> {
  const { parts } = options
  const url = streamUrl(progress.identity.origin, fromNow ? undefined : (progress.cursor ?? 0))
  const lookup = lookupOf(parts, url)
  if (!lookup)
    return { ending: { kind: 'unreachable', message: 'guarded' }, isTooLong: false, received: 0 }
  const waiting: Buffer[] = []
  const outcome = { isTooLong: false, received: 0, error: undefined as string | undefined }
  let draining: Promise<void> | undefined

  async function drain(): Promise<void> {
    for (let frame = waiting.shift(); frame; frame = waiting.shift()) {
      outcome.received++
      // What was taken meanwhile would have to be kept in memory.
      await parts.patience.untilRoom(signal)
      const said = await takeFrame(options, progress, frame)
      if (said === undefined || signal.aborted) continue
      if (said === 'too-long') outcome.isTooLong = true
      else outcome.error = said
      waiting.length = 0
      connection.leave()
    }
    draining = undefined
    connection.resume()
  }

  const connection: Connection = openConnection({
    url: url.href,
    limits: { ...defaultLimits, maxFrameBytes: MAX_FRAME_BYTES },
    lookup,
    onOpen: () => undefined,
    onFrame: (data) => {
      waiting.push(data)
      if (waiting.length >= MAX_WAITING) connection.pause()
      draining ??= drain()
    },
  })
  const leave = () => connection.leave()
  signal.addEventListener('abort', leave, { once: true })
  const ended = await connection.ended
  signal.removeEventListener('abort', leave)
  await draining
  const ending = outcome.error ? { kind: 'error' as const, error: outcome.error } : ended
  return { ending, isTooLong: outcome.isTooLong, received: outcome.received }
}

function lookupOf({ lookupFor }: StreamOptions['parts'], url: URL) {
  try {
    return lookupFor(url)
  } catch {
    return undefined
  }
}

/** @returns what ends the connection, where something does. */
async function takeFrame(
  options: StreamOptions,
  progress: Progress,
  data: Buffer,
): Promise<string | undefined> {
  const frame = decodeFrame(data)
  if (frame?.kind === 'error') return frame.error
  const { limits, now, onDropped } = options.parts
  if (!frame) onDropped?.('unreadable')
  if (frame?.kind !== 'labels') return undefined
  const read = readLabels(frame.labels, options.did, onDropped)
  const kept: Label[] = []
  for (const one of read) {
    if (!options.isKnown(one.label.uri)) onDropped?.('unknown')
    else if (await isSigned(options, progress, one)) kept.push(one.label)
    else onDropped?.('unsigned')
  }
  progress.cursor = frame.seq
  progress.applier.add(kept, frame.seq)
  const isPast =
    read.length > 0 && read.every(({ label }) => now() - Date.parse(label.cts) > limits.pastMs)
  if (!isPast) progress.past = undefined
  else if (progress.past !== undefined) progress.past += read.length
  return (progress.past ?? 0) > limits.maxPast ? 'too-long' : undefined
}

async function isSigned(
  { find, parts }: StreamOptions,
  progress: Progress,
  label: SignedLabel,
): Promise<boolean> {
  if (isSignedBy(label, progress.identity.key)) return true
  if (parts.now() - progress.renewedAt < RENEW_KEY_AFTER_MS) return false
  progress.renewedAt = parts.now()
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

/** Half of the time at least, and then by chance, so that not all come back at once. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms * (0.5 + Math.random() / 2))
    function done(): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done, { once: true })
    if (signal.aborted) done()
  })
}
