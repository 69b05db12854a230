// Slipstream among real parts: accounts with repositories on a real PDS, a real PLC directory, a Jetstream,
// and clients that read through the PDS with the app's own strict decoder.
//
// All tests share one network; each creates its own accounts, so that none depends on another. Checks that
// must survive a restart are registered with `world.stands` and repeated in the last chapter.

import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import { conversationsChapter } from './chapters/conversations.ts'
import { doctorChapter } from './chapters/doctor.ts'
import { feedsChapter } from './chapters/feeds.ts'
import { freshPostsChapter } from './chapters/fresh-posts.ts'
import { invalidRecordsChapter } from './chapters/invalid-records.ts'
import { mediaChapter } from './chapters/media.ts'
import { type Early, liveBefore, newcomerChapter } from './chapters/newcomer.ts'
import { notificationsChapter } from './chapters/notifications.ts'
import { privateStateChapter } from './chapters/private-state.ts'
import { protocolChapter } from './chapters/protocol.ts'
import { restartsChapter } from './chapters/restarts.ts'
import { separationChapter } from './chapters/separation.ts'
import { socialProofChapter } from './chapters/social-proof.ts'
import { threadsChapter } from './chapters/threads.ts'
import { timelineChapter } from './chapters/timeline.ts'
import { chosenJetstreams } from './support/jetstream.ts'
import { startWorld, type World } from './support/world.ts'

const LOG_TAIL = 6_000

describe.each(await chosenJetstreams())('with the Jetstream %s', (kind) => {
  let world: World
  let early: Early

  beforeAll(async () => {
    const started = await startWorld(kind, liveBefore)
    world = started.world
    early = started.early
  })

  afterEach(({ task }) => {
    if (task.result?.state !== 'fail') return
    console.error(`Slipstream’s log:\n${world?.slipstream.log().slice(-LOG_TAIL)}`)
  })

  afterAll(async () => {
    if (!world) return
    console.info(`${world.latencies.table()}  (Jetstream: ${kind})`)
    await world.stop()
  })

  describe('a newcomer', () =>
    newcomerChapter(
      () => world,
      () => early,
    ))
  describe('the service', () => protocolChapter(() => world))
  describe('the doctor', () => doctorChapter(() => world))
  describe('the timeline', () => timelineChapter(() => world))
  describe('conversations', () => conversationsChapter(() => world))
  describe('threads', () => threadsChapter(() => world))
  describe('notifications', () => notificationsChapter(() => world))
  describe('feeds', () => feedsChapter(() => world))
  describe('media', () => mediaChapter(() => world))
  describe('separation', () => separationChapter(() => world))
  describe('private state', () => privateStateChapter(() => world))
  describe('social proof', () => socialProofChapter(() => world))
  describe('invalid records', () => invalidRecordsChapter(() => world))
  describe('fresh posts', () => freshPostsChapter(() => world))
  describe('restarts', () => restartsChapter(() => world))
})
