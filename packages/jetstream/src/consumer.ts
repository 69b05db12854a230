// The stream's public interface. Its implementation is in stream-consumer.ts.

import type { StreamBatch } from './batcher.ts'
import type { StreamFilters } from './connection/subscribe-url.ts'
import type { ConsumerOptions, StreamStatus } from './consumer-options.ts'
import { StreamConsumer } from './stream-consumer.ts'

export type { StreamBatch, StreamFilters }

export type Consumer = {
  start(): void
  /** Resolves when the current batch is applied and the socket is closed. */
  stop(): Promise<void>
  /** v1 changes the live connection; v2 reconnects at the cursor. */
  setFilters(filters: StreamFilters): void
  status(): StreamStatus
}

/** @throws InvariantError if there is no host, or the filters exceed what a server takes. */
export function createConsumer(options: ConsumerOptions): Consumer {
  const consumer = new StreamConsumer(options)
  return {
    start: () => consumer.start(),
    stop: () => consumer.stop(),
    setFilters: (filters) => consumer.setFilters(filters),
    status: () => consumer.status(),
  }
}
