// The dataplane's caches between calls, through a random history with failures: after each batch every call
// with cached answers equals one without caches. Only invalidations inform the cache.

import { create, fromBinary, toJson } from '@bufbuild/protobuf'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createHydrator } from '../../../src/answers/hydrate/hydrator.ts'
import { createSearches as createSearching } from '../../../src/answers/skeleton/search/searches.ts'
import { createMediaUrls } from '../../../src/answers/views/media-urls.ts'
import { loadConfig } from '../../../src/base/config/config.ts'
import { InvalidationReader } from '../../../src/data/shared-memory/invalidation-ring.ts'
import { listTags } from '../../../src/data/store/moderation/moderation-tags.ts'
import { createSearches } from '../../../src/features/dataplane/calls/search.ts'
import { Service } from '../../../src/features/dataplane/generated/bsky-pb.ts'
import { createReading } from '../../../src/features/dataplane/reading/reading.ts'
import { callsOf } from '../../../src/features/dataplane/service.ts'
import { createOverload } from '../../../src/http/overload/overload.ts'
import { createRateBuffers } from '../../../src/http/overload/rate-limits.ts'
import { applyLabels } from '../../../src/ingest/indexing/moderation/label.ts'
import { decide } from '../../../src/ingest/indexing/moderation/moderation.ts'
import { createMemoryTimelines } from '../../support/memory-timelines.ts'
import { privateAct } from '../../support/private-acts.ts'
import { createRandom, type Random } from '../../support/random.ts'
import { randomHistory, unreliably } from '../../support/random-history.ts'
import { rareActs, trustedVerifier } from '../../support/rare-acts.ts'
import { referenceUrlPatterns } from '../../support/reference-appview.ts'
import { createWorld, type World } from '../../support/world.ts'

const SEED = Number(process.env['SEED'] ?? 20_022)
const MEMBERS = ['person-0', 'person-1']

type Ask = (name: keyof typeof Service.method, request: object) => Promise<object>

function dataplaneOf(world: World, invalidations: InvalidationReader | undefined): Ask {
  const { reader: db, actors, graph } = world
  const urls = createMediaUrls(referenceUrlPatterns)
  const trustedVerifiers = [trustedVerifier]
  const unused = () => Promise.reject(new Error('no request is expected'))
  const log = pino({ level: 'error' })
  const reading = createReading({
    search: createSearching(db),
    db,
    actors,
    graph,
    log,
    invalidations,
    config: { ...loadConfig({}, 'no-such-file'), trustedVerifiers },
    hydrator: createHydrator({ db, actors, graph, urls, trustedVerifiers }),
    timelines: createMemoryTimelines(100),
    isDrawn: () => true,
    writer: { send: unused },
    ingest: { operate: unused },
    resolver: { resolve: unused, resolveHandle: unused },
    onViewer: () => undefined,
  })
  const searches = createSearches(reading)
  const overload = createOverload({
    config: loadConfig({}, 'no-such-file'),
    buffers: createRateBuffers(),
  })
  const calls = callsOf({ reading, searches, overload, log, onAnswered: () => undefined }, {})
  return async (name, request) => {
    const method = Service.method[name]
    const { run } = calls.get(`/bsky.Service/${method.name}`)!
    const answer = await run(create(method.input, request), () => undefined)
    const message =
      answer instanceof Uint8Array
        ? fromBinary(method.output, answer)
        : create(method.output, answer as never)
    return toJson(method.output, message) as object
  }
}

/** Adds or negates a label on an account or a post, or adds an expired one. */
function randomLabel(world: World, random: Random): void {
  const src = world.account(random.pick(MEMBERS))
  const about = world.sent.filter(
    (event) => event.kind === 'commit' && event.collection === 'app.bsky.feed.post',
  )
  const event = about.length > 0 ? random.pick(about) : undefined
  if (event?.kind !== 'commit' || world.uid(src) === 0) return
  const uri = random.chance(0.5) ? event.did : `at://${event.did}/${event.collection}/${event.rkey}`
  const label = { uri, val: random.pick(['rude', 'spam']), neg: random.chance(0.4), cid: undefined }
  const times = { cts: world.isoNow(), exp: random.chance(0.2) ? world.isoNow() : undefined }
  world.run((ctx) => applyLabels(ctx, src, [{ ...label, ...times }]))
}

/** A moderator tags an account, its profile or a post, or removes the tag. */
function randomTag(world: World, random: Random): void {
  const event = random.pick(world.sent)
  if (event.kind !== 'commit') return
  const record = `at://${event.did}/${event.collection}/${event.rkey}`
  const subjects = [event.did, `at://${event.did}/app.bsky.actor.profile/self`]
  if (event.collection === 'app.bsky.feed.post') subjects.push(record)
  const act = random.chance(0.4) ? 'tag' : 'untag'
  // Few, so that sometimes there is none.
  const about = { subject: random.pick(subjects), tag: 'lower' }
  world.run((ctx) => decide(ctx, { act, ...about, by: 'somebody', reason: '' }))
  if (random.chance(0.2)) world.run((ctx) => untagAll(ctx))
}

function untagAll(ctx: Parameters<typeof decide>[0]): void {
  for (const { subject, tag } of listTags(ctx.db, 100)) {
    decide(ctx, { act: 'untag', subject, tag, by: 'somebody', reason: '' })
  }
}

/** The requests of a page of the frontend, about all existing subjects. */
function questions(world: World, random: Random): [keyof typeof Service.method, object][] {
  const some = <T>(from: T[]) => from.filter(() => random.chance(0.6))
  const dids = some(Array.from({ length: world.actors.count }, (_, i) => world.actors.didOf(i + 1)))
  const uris = (collection: string) => [
    ...new Set(
      world.sent.flatMap((event) =>
        event.kind === 'commit' && event.collection === collection
          ? [`at://${event.did}/${collection}/${event.rkey}`]
          : [],
      ),
    ),
  ]
  const posts = some(uris('app.bsky.feed.post'))
  const refs = posts.map((uri) => ({ uri }))
  const actorDid = world.account(random.pick(MEMBERS))
  return [
    ['getTimeline', { actorDid, limit: 30 }],
    ['getAuthorFeed', { actorDid: random.pick(dids), limit: 30 }],
    ['getPostRecords', { uris: posts, includeOpThreadMetadata: random.chance(0.3) }],
    ['getRepostRecords', { uris: some(uris('app.bsky.feed.repost')) }],
    ['getActors', { dids }],
    ['getLabels', { subjects: [...dids, ...posts], issuers: dids }],
    ['getRelationships', { actorDid, targetDids: dids }],
    ['getInteractionCounts', { refs }],
    ['getLikesByActorAndSubjects', { actorDid, refs }],
    ['getRepostsByActorAndSubjects', { actorDid, refs }],
    ['getBookmarksByActorAndSubjects', { actorDid, uris: posts }],
    ['getThreadMutesOnSubjects', { actorDid, threadRoots: posts }],
    ['getBlockExistence', { pairs: dids.map((a) => ({ a, b: random.pick(dids) })) }],
    ['getThread', { postUri: random.pick(posts), above: 5, below: 5 }],
  ]
}

test(`over a random history, cached answers equal uncached ones (SEED=${SEED})`, async () => {
  const random = createRandom(SEED)
  const world = createWorld({ scope: 'network', members: MEMBERS })
  try {
    const stored = dataplaneOf(world, new InvalidationReader(world.invalidations.buffer))
    const fresh = dataplaneOf(world, undefined)
    const events = unreliably(randomHistory(world, random, 350), random)
    for (let at = 0; at < events.length; ) {
      const batch = events.slice(at, at + 1 + random.below(12))
      at += batch.length
      world.apply(batch)
      for (let acts = random.below(4); acts > 0; acts--) {
        privateAct(world, random, MEMBERS.map(world.account))
      }
      rareActs(world, random, random.below(9))
      randomLabel(world, random)
      randomTag(world, random)
      for (const [name, request] of questions(world, random)) {
        const requested = `${name} ${JSON.stringify(request)}`
        expect(await stored(name, request), requested).toEqual(await fresh(name, request))
      }
    }
  } finally {
    world.dispose()
  }
})
