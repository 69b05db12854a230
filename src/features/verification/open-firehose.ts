// A consumer of relays that is connected with the ingest thread: collections, counts and bytes.

import type { StreamBatch, StreamCursor } from '@slipstream/jetstream'
import { collections } from '../../base/atproto/collections.ts'
import type { Core } from '../../ingest/core.ts'
import type { Arrivals } from './firehose/arrivals.ts'
import { createFirehose, type Firehose } from './firehose/consumer.ts'
import type { Judge } from './firehose/judge.ts'

export function openFirehose(
  core: Core,
  parts: {
    hosts: readonly string[]
    judge: Judge
    cursors: readonly StreamCursor[]
    arrivals?: Arrivals
    receivedUntilUs?: number | undefined
    apply?: (batch: StreamBatch) => Promise<void>
  },
): Firehose {
  return createFirehose({
    apply: (batch) => core.applyBatch(batch),
    ...parts,
    collections: new Set<string>(collections),
    onFailure: (host, reason) => core.counts.add('unverified', `${host} ${reason}`),
    meter: meterOf(core),
    log: core.log,
  })
}

export function meterOf({ traffic }: Core) {
  return (host: string) => traffic.of(host, 'repos', 'stream')
}
