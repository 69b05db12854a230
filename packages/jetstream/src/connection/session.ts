// Handles one connection's frames: events, in order and each once; notices; lost frames.

import { createDictionaryTrust, type DictionaryDoubt } from '../dictionaries/dictionary-trust.ts'
import type { StreamGap, StreamItem } from '../event.ts'
import { type Decoded, type DropReason, isBroken, isLost, type Notice } from '../frames/decoded.ts'
import { markOf } from '../frames/event-mark.ts'
import type { FrameDecoder } from '../frames/frame-decoder.ts'
import { foreignUnit, foreignUnitWords } from '../frames/time-unit.ts'
import type { Logger } from '../logger.ts'
import type { Meter } from '../meter.ts'
import type { Position } from '../position.ts'
import type { Resume, Wire } from '../resume.ts'

export type Session = {
  onFrame(data: Uint8Array, isBinary: boolean): void
}

export function createSession(options: {
  host: string
  wire: Wire
  resume: Resume
  /** A first event later than this, in microseconds, shows that the cursor was clamped silently. */
  dueBy: number | undefined
  decoder: FrameDecoder
  dictionaryId: number | undefined
  /** Filtered here where the server would not; the decoder must then parse everything. */
  dids: ReadonlySet<string> | undefined
  meter?: Meter | undefined
  position: Position
  /** With the size of the frame's content. */
  onEvent: (event: StreamItem, bytes: number) => void
  onDrop: (reason: DropReason) => void
  /** An event of this account was dropped. */
  onBroken: (did: string) => void
  onNotice: (notice: Notice) => void
  /** Nothing of the connection can be used: it must be left. */
  onUnusableHost?: (why: string) => void
  /** The frames are not made with this dictionary: the connection must be closed. */
  onDoubt: (doubt: DictionaryDoubt) => void
  log: Logger
}): Session {
  const { host, wire, resume, decoder, dictionaryId, dids, meter, position, log } = options
  const { onEvent, onDrop, onBroken, onNotice, onUnusableHost, onDoubt } = options
  const trust = dictionaryId === undefined ? undefined : createDictionaryTrust(dictionaryId)
  let lastSeq: number | undefined
  let isFirst = true

  function onFrame(data: Uint8Array, isBinary: boolean): void {
    const decoded = decoder.decode(data, isBinary)
    meter?.frame(kindOf(decoded), data.length, decoder.contentBytes)
    const reason = typeof decoded === 'string' ? decoded : undefined
    if (typeof decoded === 'string') onUnusable(decoded)
    else if ('notice' in decoded) onNotice(decoded)
    else receive(decoded)
    const doubt = isBinary ? trust?.weigh(data, reason) : undefined
    if (doubt) onDoubt(doubt)
  }

  function onUnusable(reason: DropReason): void {
    onDrop(reason)
    const did = isBroken(reason) ? decoder.didOfLast() : undefined
    if (did !== undefined) onBroken(did)
    else if (isLost(reason)) position.openGap(host, 'dropped-frame')
  }

  function receive(event: StreamItem): void {
    const unit = foreignUnit(event.timeUs)
    if (unit && isFirst) {
      onDrop('bad-time')
      return onUnusableHost?.(foreignUnitWords(unit))
    }
    if (unit) return onUnusable('bad-time')
    if (isFirst) beginWith(event)
    const { seq } = event
    if (seq !== undefined) {
      if (lastSeq !== undefined && seq <= lastSeq) return void onDrop('duplicate')
      lastSeq = seq
    }
    if (dids && event.kind !== 'unread' && !dids.has(event.did)) return
    onEvent(event, decoder.contentBytes)
  }

  function beginWith(event: StreamItem): void {
    isFirst = false
    const isSame = event.seq === resume.seq && isMarked(event, resume)
    // Requested inclusively and received before: nothing is missing.
    if (isSame) lastSeq = resume.seq
    const cause = holeBefore(event, resume, options.dueBy)
    if (cause === 'host-switch') {
      const figures = { host, wire, expected: resume.seq, got: event.seq, isOther: !isSame }
      log.warn(figures, 'host restarted its event numbers')
    }
    if (cause) position.openGap(host, cause)
  }

  return { onFrame }
}

/** Whether it is the requested event, as far as known: a host that died reuses seqs. */
function isMarked(event: StreamItem, { mark }: Resume): boolean {
  return mark === undefined || markOf(event) === mark
}

/** The gap that the first event reveals, by where the server really started. */
function holeBefore(
  event: StreamItem,
  resume: Resume,
  dueBy: number | undefined,
): StreamGap['cause'] | undefined {
  const isLate = dueBy !== undefined && event.timeUs > dueBy
  if (resume.seq === undefined || event.seq === undefined) {
    return isLate ? 'cursor-too-old' : undefined
  }
  if (event.seq < resume.seq || !isMarked(event, resume)) return 'host-switch'
  return event.seq > resume.seq && dueBy !== undefined ? 'cursor-too-old' : undefined
}

/** Under which a frame's bytes are counted. */
function kindOf(decoded: Decoded): string {
  if (typeof decoded === 'string' || 'notice' in decoded) return 'unusable'
  return 'collection' in decoded ? decoded.collection : decoded.kind
}
