// What an uptime monitor wants to know of the stream: whether new posts come in. Short breaks and a quiet
// stream are normal, and a node behind a load balancer answers from its rows meanwhile, so only
// `/xrpc/_health?stream` fails because of it, and only after minutes.

import { MINUTE_MS } from '../../base/util/durations.ts'
import type { IngestStatus } from '../../bridge/messages.ts'
import type { StreamHealth } from '../server/health.ts'

const PATIENCE_MS = 5 * MINUTE_MS

type Seen = Pick<IngestStatus, 'stream' | 'beforeLive'>

/** @param uptimeMs - of the process; the ingest thread reports within seconds of its start */
export function streamHealth(status: Seen | undefined, uptimeMs: number): StreamHealth {
  if (!status) {
    return uptimeMs < PATIENCE_MS
      ? { state: 'starting' }
      : { state: 'disconnected', error: 'the thread that reads the stream has not reported yet' }
  }
  const { stream, beforeLive } = status
  if (beforeLive) return { state: beforeLive.what }
  if (!stream.connected) return aboutAway(stream)
  const { lagMs = 0 } = stream
  if (lagMs < PATIENCE_MS) return { state: 'live' }
  return { state: 'behind', error: `the stream is ${minutes(lagMs)} minutes behind` }
}

function aboutAway({ host, awayMs = 0 }: IngestStatus['stream']): StreamHealth {
  if (awayMs < PATIENCE_MS) return { state: 'connecting' }
  const error = `no connection to ${host} for ${minutes(awayMs)} minutes`
  return { state: 'disconnected', error }
}

function minutes(ms: number): number {
  return Math.floor(ms / MINUTE_MS)
}
