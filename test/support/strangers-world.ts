// A server whose strangers have a real directory, a real PDS and the real backfill; the stream delivered nothing
// of them.

import { pino } from 'pino'
import { DAY_MS } from '../../src/base/util/durations.ts'
import { createBackfill } from '../../src/ingest/backfill/runner.ts'
import { createGuardedFetch, type GuardedFetch } from '../../src/sources/identity/guarded-fetch.ts'
import { createResolver } from '../../src/sources/identity/resolver.ts'
import { type PdsAccount, type PdsDouble, startPdsDouble } from './pds-double.ts'
import { startPlcDouble } from './plc-double.ts'
import { createServingWorld, type ServingOptions } from './serving-world.ts'

const POST = 'app.bsky.feed.post'

export type StrangersWorld = Awaited<ReturnType<typeof startStrangersWorld>>

type StrangersOptions = ServingOptions & {
  /** Answers TXT queries; handles are then verified by DNS, and no server has them over HTTPS. */
  dns?: (name: string) => Promise<string[][]>
}

/** `person` makes an account with a profile; `listings` are the DIDs whose posts were listed. */
export async function startStrangersWorld({ dns, ...options }: StrangersOptions = {}) {
  const [pds, plc] = await Promise.all([startPdsDouble(), startPlcDouble()])
  const fetch = createGuardedFetch({ allowPrivateHosts: true })
  const resolver = createResolver({
    plcUrl: plc.url,
    fetch: dns ? withoutHandles(fetch) : fetch,
    resolveTxt: dns ?? (async () => []),
    allowPrivateHosts: dns === undefined,
  })
  const w = createServingWorld({
    resolver,
    fetch,
    scope: 'community',
    members: ['alice'],
    queuesFetchRequests: true,
    startAt: Date.now(),
    ...options,
  })
  const backfill = createBackfill({
    db: w.db,
    writer: w.writer,
    log: pino({ level: 'silent' }),
    fetch,
    resolver,
  })
  backfill.start()
  return {
    w,
    pds,
    plc,
    listings: watchListings(pds),
    async person(name: string): Promise<PdsAccount> {
      const handle = `${name}.example.com`
      const { did } = await plc.create({ handle, pds: pds.origin })
      const account = pds.create({ did, handle })
      write(account, 'app.bsky.actor.profile', { displayName: name })
      return account
    },
    async stop() {
      await backfill.stop()
      await Promise.all([pds.close(), plc.close()])
      w.dispose()
    },
  }
}

function withoutHandles(fetch: GuardedFetch): GuardedFetch {
  return async (url, options) => {
    if (!url.endsWith('/.well-known/atproto-did')) return fetch(url, options)
    return { status: 404, url, headers: new Headers(), body: Buffer.alloc(0) }
  }
}

function watchListings(pds: PdsDouble): string[] {
  const listings: string[] = []
  pds.onRequest(({ method, query }) => {
    const isListing = method.endsWith('listRecords') && query['collection'] === POST
    if (isListing) listings.push(query['repo'] ?? '')
  })
  return listings
}

let lastMs = Date.now() - 30 * DAY_MS

/** @returns milliseconds since 1970, later each time */
export function passTime(): number {
  lastMs += 1_000
  return lastMs
}

/** @returns the record's at-URI and CID */
export function write(account: PdsAccount, collection: string, value: object, key?: string) {
  const atMs = passTime()
  const createdAt = new Date(atMs).toISOString()
  const rkey = key ?? (collection === 'app.bsky.actor.profile' ? 'self' : undefined)
  const commit = account.put({ collection, rkey, value: { createdAt, ...value }, atMs })
  if (commit.operation === 'delete') throw new Error('a write became a deletion')
  return { uri: `at://${commit.did}/${collection}/${commit.rkey}`, cid: commit.cid }
}
