// Collects the segments served to players for some seconds, then sends them to the writer, which counts them.
// Entries still here when the process is killed are lost.

import type { Logger } from '../../../base/obs/log.ts'
import type { Writer } from '../../../bridge/messages.ts'
import type { MediaCalls, SegmentWatch } from '../requests.ts'

export type WatchLog = {
  note(watch: SegmentWatch): void
  /** How many entries were dropped because the log was full. */
  dropped(): number
  /** Sends one batch now; resolves once it is written. */
  tell(): Promise<void>
  /** Sends the remaining entries. */
  close(): void
}

const EVERY_MS = 5_000
/** Some megabytes; further entries are dropped until the writer answers. */
const MOST_WAITING = 20_000
const MOST_AT_ONCE = 5_000

export function createWatchLog(options: {
  writer: Writer
  /** The DID that the writes are made as. */
  serviceDid: string
  log: Pick<Logger, 'debug'>
  /** 0: send only when `tell` is called. */
  everyMs?: number
}): WatchLog {
  const { writer, serviceDid, log, everyMs = EVERY_MS } = options
  /** By session and segment, so that repeated requests take one entry. */
  const waiting = new Map<string, SegmentWatch>()
  let dropped = 0
  let isTelling = false
  const timer = everyMs > 0 ? setInterval(() => void tell(), everyMs) : undefined
  timer?.unref()

  async function tell(): Promise<void> {
    if (isTelling || waiting.size === 0) return
    isTelling = true
    const some = [...waiting].slice(0, MOST_AT_ONCE)
    try {
      await send(some.map(([, watch]) => watch))
      for (const [key] of some) waiting.delete(key)
    } catch (error) {
      sayRefused(error)
    } finally {
      isTelling = false
    }
  }

  const send = (watches: SegmentWatch[]) => {
    const body: MediaCalls['media/watched'] = { watches }
    return writer.send({ kind: 'media/watched', did: serviceDid, body })
  }
  const sayRefused = (error: unknown) =>
    log.debug({ err: error }, 'video watch counts could not be written yet')

  return {
    note(watch) {
      const key = `${watch.session} ${watch.segment}`
      if (waiting.has(key)) return
      if (waiting.size >= MOST_WAITING) dropped += 1
      else waiting.set(key, watch)
      if (waiting.size >= MOST_AT_ONCE) void tell()
    },
    tell,
    dropped: () => dropped,
    close() {
      clearInterval(timer)
      if (waiting.size > 0) void send([...waiting.values()]).catch(sayRefused)
    },
  }
}
