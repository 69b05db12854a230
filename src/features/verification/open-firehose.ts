// Consumers of relays that are connected with the ingest thread: collections, counts and bytes.

import type { StreamBatch, StreamCursor } from '@slipstream/jetstream'
import { collections } from '../../base/atproto/collections.ts'
import type { Core } from '../../ingest/core.ts'
import { type Arrivals, createArrivals } from './firehose/arrivals.ts'
import { createFirehose, type Firehose } from './firehose/consumer.ts'
import type { Judge } from './firehose/judge.ts'

type FirehoseContext = {
  hosts: readonly string[]
  judge: Judge
  cursors: readonly StreamCursor[]
  arrivals?: Arrivals
  receivedUntilUs?: number | undefined
  apply?: (batch: StreamBatch) => Promise<void>
  isAtHome?: ((did: string, host: string) => boolean) | undefined
}

/** All hosts at once: the first to bring a commit counts, and any may be away. */
export function openEach(
  core: Core,
  context: Omit<FirehoseContext, 'arrivals' | 'receivedUntilUs'> & {
    receivedUntilUs?: (host: string) => number | undefined
  },
): Firehose[] {
  const { hosts, cursors, receivedUntilUs } = context
  const onCount = (host: string, what: string) => core.counts.add('relays', `${host} ${what}`)
  const arrivals = createArrivals(hosts, onCount)
  return hosts.map((host) =>
    openFirehose(core, {
      ...context,
      hosts: [host],
      arrivals,
      cursors: cursors.filter((at) => at.host === host),
      receivedUntilUs: receivedUntilUs?.(host),
    }),
  )
}

export function openFirehose(core: Core, context: FirehoseContext): Firehose {
  return createFirehose({
    apply: (batch) => core.applyBatch(batch),
    ...context,
    collections: new Set<string>(collections),
    onFailure: (host, reason) => core.counts.add('unverified', `${host} ${reason}`),
    meter: meterOf(core),
    log: core.log,
  })
}

export function meterOf({ traffic }: Core) {
  return (host: string) => traffic.of(host, 'repos', 'stream')
}
