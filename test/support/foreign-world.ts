// The server behind which real backfill reads servers of other makes: a directory, two PDS doubles (one like
// Bluesky's, one that a test gives its software), the serving methods, and no stream.

import { pino } from 'pino'
import { DAY_MS } from '../../src/base/util/durations.ts'
import { countJobs } from '../../src/data/store/fetching/jobs.ts'
import type { BackfillLimits } from '../../src/ingest/backfill/limits.ts'
import { createBackfill } from '../../src/ingest/backfill/runner.ts'
import { createGuardedFetch } from '../../src/sources/identity/guarded-fetch.ts'
import { createResolver } from '../../src/sources/identity/resolver.ts'
import { type PdsAccount, type PdsDouble, startPdsDouble } from './pds-double.ts'
import { startPlcDouble } from './plc-double.ts'
import { createServingWorld } from './serving-world.ts'

export type ForeignWorld = Awaited<ReturnType<typeof startForeignWorld>>

type Account = { did: string }
type Feed = { feed: { post: { uri: string; record: { text: string } } }[] }
type Profile = { viewer: { following?: string; blocking?: string }; followsCount: number }

const PROFILE = 'app.bsky.actor.profile'

export async function startForeignWorld(limits: Partial<BackfillLimits> = {}) {
  const [home, foreign, plc] = await Promise.all([
    startPdsDouble(),
    startPdsDouble(),
    startPlcDouble(),
  ])
  const startAt = Date.now()
  const w = createServingWorld({ scope: 'community', queuesFetchRequests: true, startAt })
  const fetch = createGuardedFetch({ allowPrivateHosts: true })
  const outside = { allowPrivateHosts: true, resolveTxt: async () => [], fetch, plcUrl: plc.url }
  const backfill = createBackfill({
    db: w.db,
    writer: w.writer,
    log: pino({ level: 'silent' }),
    fetch,
    resolver: createResolver(outside),
    limits,
  })
  backfill.start()

  async function person(name: string, at: PdsDouble): Promise<PdsAccount> {
    const handle = `${name}.example.com`
    const { did } = await plc.create({ handle, pds: at.origin })
    const account = at.create({ did, handle })
    put(account, PROFILE, { displayName: name }, startAt - 600 * DAY_MS)
    return account
  }

  return {
    w,
    home,
    foreign,
    startAt,
    person,
    /** An account of which only the directory knows yet. */
    named: (name: string, pds: string) => plc.create({ handle: `${name}.example.com`, pds }),
    async settled(most = 60_000) {
      const deadline = Date.now() + most
      const isBusy = () => Object.keys(countJobs(w.db)).length > 0
      while (isBusy() && Date.now() < deadline) await new Promise((done) => setTimeout(done, 25))
    },
    async timeline(viewer: Account): Promise<string[]> {
      return texts(await readAll(w, 'app.bsky.feed.getTimeline', {}, viewer.did))
    },
    async authorFeed(author: Account, viewer: Account): Promise<string[]> {
      const actor = { actor: author.did }
      return texts(await readAll(w, 'app.bsky.feed.getAuthorFeed', actor, viewer.did))
    },
    async profile({ did }: Account, viewer: Account): Promise<Profile> {
      const { body } = await w.ask<Profile>('app.bsky.actor.getProfile', { actor: did }, viewer.did)
      return body
    },
    async close() {
      await backfill.stop()
      await Promise.all([home.close(), foreign.close(), plc.close()])
      w.dispose()
    },
  }
}

export function put(account: PdsAccount, collection: string, value: object, atMs: number) {
  const rkey = collection === PROFILE ? 'self' : undefined
  const createdAt = new Date(atMs).toISOString()
  return account.put({ collection, rkey, value: { createdAt, ...value }, atMs })
}

type Page = Feed & { cursor?: string }

/** The first thousand items. */
async function readAll(
  w: ReturnType<typeof createServingWorld>,
  method: string,
  more: object,
  viewer: string,
): Promise<Feed['feed']> {
  const items: Feed['feed'] = []
  let cursor: string | undefined
  do {
    const { body } = await w.ask<Page>(method, { ...more, limit: 100, cursor }, viewer)
    items.push(...body.feed)
    cursor = body.cursor
  } while (cursor !== undefined && items.length < 1_000)
  return items
}

const texts = (feed: Feed['feed']) => feed.map(({ post }) => post.record.text)
