// The writing side of For You: it hears each like of the stream, saves the engine's memory now and then and at the
// end, and stores what members have seen.

import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import type { StreamBatch } from '@slipstream/jetstream'
import type { Config } from '../../base/config/config.ts'
import { settingsOf } from '../../base/config/every-setting.ts'
import { MINUTE_MS } from '../../base/util/durations.ts'
import { MEMBER } from '../../data/graph/types.ts'
import type { Core } from '../../ingest/core.ts'
import { type IngestFeature, ingestCalls, requestHandlers } from '../../ingest/feature.ts'
import { internActor } from '../../ingest/indexing/index-context.ts'
import { hear } from './engine/hear.ts'
import { H, type State } from './engine/layout.ts'
import { minuteOf } from './engine/minutes.ts'
import { loadSnapshot, saveSnapshot } from './engine/snapshot.ts'
import { likeIn } from './listening.ts'
import { createPast } from './past.ts'
import { connectLikes } from './reader-likes.ts'
import type { ForYouCalls, ForYouRequests } from './requests.ts'
import { forYouSettings } from './settings.ts'
import { addSeen, putLess } from './store/readers.ts'

const FILE = 'for-you.snapshot'
const SAVED_EVERY_MS = 10 * MINUTE_MS
const MAX_READERS = 1000
/** A like's time may be ahead of our clock by so much. */
const AHEAD_MS = 5 * MINUTE_MS

export const ingest: IngestFeature = {
  requests: requestHandlers<ForYouRequests>({
    'for-you/seen': (ctx, did, { posts }) => addSeen(ctx.db, internActor(ctx, did), posts),
    'for-you/less'(ctx, did, { author, times }) {
      const known = ctx.actors.uidOf(author)
      if (known === 0) return
      putLess(ctx.db, { uid: internActor(ctx, did), author: known, times, at: ctx.now })
    },
  }),
  start(config, core) {
    const { forYouMb } = settingsOf(config, forYouSettings)
    return forYouMb === 0 ? {} : listen(config, core, forYouMb << 20)
  },
}

function listen(config: Config, core: Core, bytes: number) {
  const { log, now, actors, diskSpace } = core
  const path = join(config.dataDir, FILE)
  const { state, problem } = loadSnapshot(path, bytes, randomInt(2 ** 32))
  if (problem) log.warn({ path, problem }, 'For You begins anew: its snapshot can’t be used')
  if (state.header[H.heard] === 0 && state.header[H.began] === 0) {
    state.header[H.began] = minuteOf(now())
  }
  /** Those who read before the past was read: what they liked was not known yet. */
  const readers = new Set<string>()
  const past = createPast(config, core, {
    state,
    hear: (batch) => hearAll(state, batch, { latestMs: now() + AHEAD_MS, actors, isPast: true }),
    onEnd() {
      for (const did of readers) connectLikes(core, state, actors.uidOf(did))
      readers.clear()
    },
  })
  let saving: Promise<void> | undefined
  const save = () =>
    saveSnapshot(state, path).catch((err: unknown) => {
      log.warn({ err, path }, 'For You could not be saved; it is tried again')
    })
  const timer = setInterval(() => {
    if (diskSpace.isFull()) return
    saving ??= save().finally(() => {
      saving = undefined
    })
  }, SAVED_EVERY_MS)
  return {
    memory: { 'for-you': state.buffer },
    calls: ingestCalls<ForYouCalls>({
      'for-you/reads'(did) {
        if (readers.size < MAX_READERS) readers.add(did)
        connectLikes(core, state, actors.uidOf(did))
        past.begin()
      },
    }),
    onBatch: (batch: StreamBatch) => hearAll(state, batch, { latestMs: now() + AHEAD_MS, actors }),
    async stop() {
      clearInterval(timer)
      await past.stop()
      await saving
      await save()
    },
  }
}

function hearAll(
  state: State,
  { events }: StreamBatch,
  {
    latestMs,
    actors,
    isPast = false,
  }: { latestMs: number; actors: Core['actors']; isPast?: boolean },
): void {
  for (const item of events) {
    const like = likeIn(item)
    if (!like) continue
    const uid =
      item.kind === 'unread'
        ? actors.uidOfPlc(item.bytes, item.creatorAt)
        : actors.uidOf((item as { did: string }).did)
    const isMembers = uid !== 0 && (actors.flagsOf(uid) & MEMBER) !== 0
    const timeMs = Math.min(like.timeUs / 1000, latestMs)
    hear(state, { liker: like.liker, post: like.post, timeMs, isMembers, isPast })
  }
}
