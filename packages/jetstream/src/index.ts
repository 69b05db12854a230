// What the package offers; its other files are its own.

export { InvariantError } from './assert.ts'
export { type Batcher, createBatcher, type StreamBatch } from './batcher.ts'
export { readCommit, readHandle, readStatus } from './commit.ts'
export { type Connection, type Ending, openConnection } from './connection.ts'
export { type Consumer, createConsumer } from './consumer.ts'
export type { ConsumerOptions, StreamStatus } from './consumer-options.ts'
export { readAccountLevel } from './decode-v2.ts'
export { type Decoded, type DropReason, isBroken, type Notice } from './decoded.ts'
export { createDictionaryStore } from './dictionary-store.ts'
export type {
  AccountEvent,
  AccountStatus,
  CommitEvent,
  IdentityEvent,
  StreamCursor,
  StreamEvent,
  StreamGap,
  StreamItem,
  SyncEvent,
  UnreadCommit,
  WriteEvent,
} from './event.ts'
export { createFrameDecoder } from './frame-decoder.ts'
export { excessOf } from './hostile-json.ts'
export { createHosts, type Hosts } from './hosts.ts'
export { type ConsumerLimits, defaultLimits } from './limits.ts'
export type { Logger } from './logger.ts'
export type { Meter } from './meter.ts'
export { remedyFor } from './refusal.ts'
export { newest } from './resume.ts'
export { createSilenceWatch, type SilenceWatch } from './silence.ts'
export { createStreamPace } from './stream-pace.ts'
export { type StreamFilters, subscribeUrl } from './subscribe-url.ts'
export { isDid, isNsid, isRkey, isTid } from './syntax.ts'
export { parseTimeUs } from './wire-time.ts'
