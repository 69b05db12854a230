// The double's log: every event once, in seq order, with its frames built at most once per wire and
// compression, however many subscribers read them. Bounded: beyond `retain` entries the oldest are dropped,
// which moves the retention floor like the real server's window. Time rises strictly, so a cursor in
// microseconds is found by binary search.

import { compressFrame, type Dictionary } from './dictionaries.ts'
import { type Emission, frameV1, frameV2, type LoggedEmission } from './emission.ts'
import { cidOf, tidAt } from './made-up-ids.ts'

export type Wire = 'v1' | 'v2'

export type LogEntry = {
  event: LoggedEmission
  /** Text and compressed frames, built on first use. */
  frames: { [key: string]: string | Buffer | undefined }
}

export type EventLog = {
  append(emission: Emission): number
  entry(seq: number): LogEntry | undefined
  /** The oldest seq still available. */
  floorSeq(): number
  raiseFloor(seq: number): void
  /** The seq of the next event. */
  nextSeq(): number
  /** The first seq whose time is at or after `timeUs`; `nextSeq()` if there is none. */
  seqAt(timeUs: number): number
  entries(): readonly LogEntry[]
}

export function createEventLog(options: { firstSeq: number; retain: number }): EventLog {
  let entries: LogEntry[] = []
  let baseSeq = options.firstSeq
  let floor = options.firstSeq
  let lastTimeUs = 0

  const nextSeq = () => baseSeq + entries.length

  function append(emission: Emission): number {
    const seq = nextSeq()
    lastTimeUs = Math.max(lastTimeUs + 1, emission.timeUs ?? Date.now() * 1000)
    entries.push({ event: complete(emission, seq, lastTimeUs), frames: {} })
    if (entries.length > options.retain * 1.25) forget(entries.length - options.retain)
    return seq
  }

  function forget(count: number): void {
    entries = entries.slice(count)
    baseSeq += count
    floor = Math.max(floor, baseSeq)
  }

  function seqAt(timeUs: number): number {
    let low = 0
    let high = entries.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (entries[middle]!.event.timeUs < timeUs) low = middle + 1
      else high = middle
    }
    return baseSeq + low
  }

  return {
    append,
    nextSeq,
    seqAt,
    entry: (seq) => entries[seq - baseSeq],
    floorSeq: () => floor,
    raiseFloor: (seq) => {
      floor = Math.max(floor, seq)
    },
    entries: () => entries,
  }
}

function complete(emission: Emission, seq: number, timeUs: number): LoggedEmission {
  const made = { rev: tidAt(timeUs, seq), cid: '' }
  if ('operation' in emission && emission.operation !== 'delete') {
    made.cid = emission.cid ?? cidOf(JSON.stringify(emission.record))
  }
  const given = Object.entries(emission).filter(([, value]) => value !== undefined)
  return { ...made, ...Object.fromEntries(given), seq, timeUs } as LoggedEmission
}

/** @returns undefined if the wire never shows this event */
export function textFrame(entry: LogEntry, wire: Wire, withCursor: boolean): string | undefined {
  const key = wire === 'v2' ? 'v2' : withCursor ? 'v1' : 'v1-legacy'
  if (!(key in entry.frames)) {
    entry.frames[key] = wire === 'v2' ? frameV2(entry.event) : frameV1(entry.event, withCursor)
  }
  return entry.frames[key] as string | undefined
}

export function compressedFrame(
  entry: LogEntry,
  wire: Wire,
  withCursor: boolean,
  dictionary: Dictionary,
): Buffer | undefined {
  const key = `${wire}${withCursor ? '' : '-legacy'} ${dictionary.id}`
  if (!(key in entry.frames)) {
    const text = textFrame(entry, wire, withCursor)
    entry.frames[key] = text === undefined ? undefined : compressFrame(dictionary, text)
  }
  return entry.frames[key] as Buffer | undefined
}
