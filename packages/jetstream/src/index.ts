// What the package offers; its other files are its own.

export { InvariantError } from './assert.ts'
export { type Batcher, createBatcher, type StreamBatch } from './batcher.ts'
export { type Connection, type Ending, openConnection } from './connection/connection.ts'
export { createHosts, type Hosts } from './connection/hosts.ts'
export { remedyFor } from './connection/refusal.ts'
export { type StreamFilters, subscribeUrl } from './connection/subscribe-url.ts'
export { type Consumer, createConsumer } from './consumer.ts'
export type { ConsumerOptions, StreamStatus } from './consumer-options.ts'
export { createDictionaryStore } from './dictionaries/dictionary-store.ts'
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
export { readCommit, readHandle, readStatus } from './frames/commit.ts'
export { readAccountLevel } from './frames/decode-v2.ts'
export { type Decoded, type DropReason, isBroken, type Notice } from './frames/decoded.ts'
export { createFrameDecoder } from './frames/frame-decoder.ts'
export { excessOf } from './frames/hostile-json.ts'
export { isDid, isNsid, isRkey, isTid, parseTimeUs } from './frames/syntax.ts'
export { foreignUnit, foreignUnitWords } from './frames/time-unit.ts'
export { type ConsumerLimits, defaultLimits } from './limits.ts'
export type { Logger } from './logger.ts'
export type { Meter } from './meter.ts'
export { newest } from './resume.ts'
export { createSilenceWatch, type SilenceWatch } from './silence.ts'
export { createStreamPace } from './stream-pace.ts'
