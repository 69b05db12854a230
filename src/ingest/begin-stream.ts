// How the stream begins: live, or with what a feature reads before it.

import type { Consumer, StreamItem } from '@slipstream/jetstream'
import type { Config } from '../base/config/config.ts'
import type { Logger } from '../base/obs/log.ts'
import type { BeforeLive } from '../bridge/messages.ts'
import type { Db } from '../data/store/db.ts'
import type { WriteRetry } from '../data/store/write-retry.ts'
import type { BatchOutcome } from './indexing/commit-sparing.ts'
import type { Writer } from './indexing/writer.ts'

export type BeginContext = {
  db: Db
  writer: Writer
  now: () => number
  log: Logger
  /** Creates the live stream, from the position saved by then. */
  createStream: () => Consumer
  /** Called with the applied events and awaited. */
  onApplied: (events: StreamItem[], outcome: BatchOutcome) => Promise<void> | undefined
  writeRetry?: WriteRetry
}

export type BegunStream = Consumer & {
  /** Undefined once it is live. */
  beforeLive(): BeforeLive | undefined
  /** What the ingest thread's report says of it besides. */
  report(): Readonly<Record<string, unknown>>
}

export type BeginsStream = {
  /** Its stream stands for the live one, which it creates; one feature at most has this. */
  beginStream?(config: Config, context: BeginContext): BegunStream
}

export function beginStream(
  config: Config,
  features: readonly BeginsStream[],
  context: BeginContext,
): BegunStream {
  for (const feature of features) {
    if (feature.beginStream) return feature.beginStream(config, context)
  }
  return { ...context.createStream(), beforeLive: () => undefined, report: () => ({}) }
}
