// A real labeler, a post that it labels, and the member who reads it, anew for each test.

import { afterEach, beforeEach, expect } from 'vitest'
import { createLabels, type Labels } from '../../../src/ingest/labels/labels.ts'
import { createGuardedFetch } from '../../../src/sources/identity/guarded-fetch.ts'
import { createGuardedLookup } from '../../../src/sources/identity/guarded-lookup.ts'
import { createResolver } from '../../../src/sources/identity/resolver.ts'
import { eventually } from '../../support/eventually.ts'
import { startPlcDouble } from '../../support/plc-double.ts'
import { createServingWorld, type ServingWorld } from '../../support/serving-world.ts'
import type { RecordId } from '../../support/world.ts'
import { createRealLabeler, type LabelerKind, type RealLabeler } from './real-labelers.ts'

type Shown = { val: string }
type Feed = { feed: { post: { labels?: Shown[]; author: { labels?: Shown[] } } }[] }

export type LabelledWorld = {
  labeler: RealLabeler
  world: ServingWorld
  post: RecordId
  author: string
  /** Reasons for which labels were dropped. */
  dropped: string[]
  /** Moves the clock of lookups and questions on. */
  pass: (ms: number) => void
  /** Follows the labeler, by its stream, or only by questions. */
  open: (how: 'streamed' | 'queried') => void
  /** Waits until exactly these values are shown, on the post and its author, in order. */
  shows: (...values: string[]) => Promise<void>
}

/** @param postgresUrl - of Ozone; undefined where there is none, and its tests are skipped */
export function useLabelledWorld(
  kind: LabelerKind,
  postgresUrl: () => string | undefined,
  take: (started: LabelledWorld) => void,
): void {
  let close: (() => Promise<void>) | undefined

  beforeEach(async ({ skip }) => {
    if (kind === 'ozone' && !postgresUrl()) return skip('no Postgres')
    const started = await start(kind, postgresUrl())
    close = started.close
    take(started)
  })

  afterEach(async () => {
    await close?.()
    close = undefined
  })
}

async function start(kind: LabelerKind, postgresUrl: string | undefined) {
  const plc = await startPlcDouble()
  const labeler = await createRealLabeler(kind, { plc, postgresUrl })
  labeler.declare()
  await labeler.start({ isEmpty: true })
  let labels: Labels | undefined
  let ahead = 0
  const now = () => Date.now() + ahead
  const world = createServingWorld({
    members: ['alice'],
    labelers: [labeler.did],
    labelCapacity: () => labels,
    startAt: Date.now(),
  })
  const [alice, author] = [world.account('alice'), world.account('bob')]
  world.follow(alice, author)
  const post = world.post(author, 'hello')
  const dropped: string[] = []

  async function shown(): Promise<string[]> {
    labels?.requested([labeler.did], [post.uri, author])
    const headers = { 'atproto-accept-labelers': labeler.did }
    const { body } = await world.ask<Feed>('app.bsky.feed.getTimeline', {}, alice, headers)
    const { labels: ofPost = [], author: by } = body.feed[0]!.post
    return [...ofPost, ...(by.labels ?? [])].map(({ val }) => val).sort()
  }

  return {
    labeler,
    world,
    post,
    author,
    dropped,
    pass(ms: number) {
      ahead += ms
    },
    open(how: 'streamed' | 'queried') {
      const fetch = createGuardedFetch({ allowPrivateHosts: true })
      labels = createLabels({
        db: world.db,
        actors: world.actors,
        writer: world.writer,
        resolver: createResolver({ fetch, plcUrl: plc.url, allowPrivateHosts: true, now }),
        fetch,
        lookupFor: createGuardedLookup({ allowPrivateHosts: true }),
        log: { debug() {} },
        now,
        configured: how === 'streamed' ? [labeler.did] : [],
        onWork: () => undefined,
        onDropped: (reason) => void dropped.push(reason),
        limits: {
          maxFollowed: 0,
          retryMs: 20,
          maxRetryMs: 50,
          gatherMs: 5,
          restMs: 50,
          askOthersAfterMs: 0,
        },
      })
      labels.start()
      if (how === 'queried') labels.named([labeler.did], alice)
    },
    shows: (...values: string[]) => eventually(async () => expect(await shown()).toEqual(values)),
    async close() {
      await labels?.stop()
      world.dispose()
      await labeler.dispose()
      await plc.close()
    },
  }
}
