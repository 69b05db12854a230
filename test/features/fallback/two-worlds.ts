// Two worlds of one network: `there` holds everything and answers public requests (appview-double.ts); `here`
// has a member, Alice, who follows Bob, and received the same events, so it holds the records in their scope.

import type { StreamEvent } from '@slipstream/jetstream'
import { expect, onTestFinished } from 'vitest'
import type { CountedScope } from '../../../src/data/store/read/seed-counts.ts'
import { type Counting, createCounting } from '../../../src/features/fallback/counts/counting.ts'
import type { FallbackCalls } from '../../../src/features/fallback/requests.ts'
import { ingestCalls } from '../../../src/ingest/feature.ts'
import { createGuardedFetch } from '../../../src/sources/identity/guarded-fetch.ts'
import { type AppviewDouble, startAppviewDouble } from '../../support/appview-double.ts'
import { didOf } from '../../support/records.ts'
import { searchable } from '../../support/searching.ts'
import {
  createServingWorld,
  type Query,
  type ServingOptions,
  type ServingWorld,
} from '../../support/serving-world.ts'
import { type AskingOptions, asking } from './asking.ts'

export const [alice, bob, eve, mallory, moe] = ['alice', 'bob', 'eve', 'mallory', 'moe'].map(
  didOf,
) as [string, string, string, string, string]
export const fans = Array.from({ length: 8 }, (_, i) => didOf(`fan${i}`))
export const people = [alice, bob, eve, mallory, moe, ...fans]

type There = ReturnType<typeof createServingWorld>

export type TwoWorlds = Awaited<ReturnType<typeof createTwoWorlds>>

/** Both end with the test. */
export async function createTwoWorlds(
  happened: (there: There) => void,
  options: Omit<ServingOptions, 'elsewhere'> & {
    asks?: AskingOptions
    /** Enables fetching earlier counts from there (counts/counting.ts), with these limits. */
    counts?: Parameters<typeof createCounting>[0]['limits']
    /** Which of the events precede the start of listening here; none if omitted. */
    isEarlier?: (event: StreamEvent, index: number) => boolean
  } = {},
) {
  const there = createServingWorld({ scope: 'network', startAt: options.startAt })
  for (const [i, did] of people.entries()) {
    there.profile(did, { displayName: `somebody ${i}` })
    there.handle(did, handleOf(did))
  }
  there.follow(alice, bob)
  there.block(alice, mallory)
  for (const did of [bob, ...fans]) there.follow(did, eve)
  happened(there)

  const double = await startAppviewDouble()
  double.standFor(there.server)
  const { asks, counts, isEarlier = () => false, ...given } = options
  let counting: Counting | undefined
  const here = createServingWorld({
    calls: callsTo(() => counting),
    handles: Object.fromEntries(people.map((did) => [handleOf(did), did])),
    members: ['alice'],
    ...given,
    elsewhere: asking(double, { ...asks, isCounting: counts !== undefined }),
  })
  // Alice's own follow goes first: it brings Bob into scope.
  const heard = there.world.sent.filter((event, i) => !isEarlier(event, i))
  here.apply(heard.filter(({ did }) => did === alice))
  here.apply(heard.filter(({ did }) => did !== alice))
  for (const did of [alice, bob]) here.handle(did, handleOf(did))
  here.mute(alice, moe)
  searchable(here)
  const count = () => {
    const scope = options.scope ?? 'community'
    counting = counts && startCounting(here, double, { scope, limits: counts })
  }
  count()

  // Also checks that no outside request revealed who reads here.
  onTestFinished(async () => {
    await counting?.stop()
    // The reader may be a subject of counted records like any account, but appear in no other
    // request.
    const others = double.asked.filter(({ nsid }) => !counts || !COUNTED.has(nsid))
    expect(JSON.stringify(others)).not.toContain(alice)
    expect(JSON.stringify(double.asked.map(({ headers }) => headers))).not.toContain(alice)
    expect(double.asked.filter(({ headers }) => headers.authorization)).toEqual([])
    here.dispose()
    there.dispose()
    await double.close()
  })
  return {
    here,
    there,
    double,
    /** Recreates the fetcher of earlier counts after a restart of the world. */
    async countAnew() {
      await counting?.stop()
      count()
    },
    /** A visitor's view there. */
    public: <T>(nsid: string, query: Query) => there.get<T>(nsid, query),
  }
}

/** Methods called for subjects with earlier counts, or for the records behind these. */
const COUNTED = new Set(
  ['feed.getPosts', 'actor.getProfiles', 'graph.getFollowers', 'feed.getLikes', 'feed.getQuotes']
    .concat('feed.getRepostedBy', 'unspecced.getPostThreadV2')
    .map((name) => `app.bsky.${name}`),
)

function callsTo(counting: () => Counting | undefined) {
  return ingestCalls<FallbackCalls>({
    'fallback/counts-requested': (_did, visible) => counting()?.requested(visible),
  })
}

function startCounting(
  { world, uid, now }: ServingWorld,
  { origin }: AppviewDouble,
  options: { scope: CountedScope; limits: Parameters<typeof createCounting>[0]['limits'] },
): Counting {
  const { db, writer, actors, timelines } = world
  const counting = createCounting({
    db,
    writer,
    actors,
    origin,
    now,
    ...options,
    fetch: createGuardedFetch({ allowPrivateHosts: false, trustedOrigins: [origin] }),
    members: () => [uid(alice)],
    newcomers: () => [],
    timelineItems: (member) =>
      timelines.read(member, undefined, 500)?.entries.map(({ item }) => item) ?? [],
    log: { debug() {}, warn() {} },
  })
  counting.start()
  return counting
}

export function handleOf(did: string): string {
  return `${did.slice(-8)}.test`.replaceAll(/[^a-z0-9.]/g, 'x')
}

/** Strips everything about the viewer. */
export function withoutViewer(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (name, inner) => (name === 'viewer' ? undefined : inner)))
}
