// The servers behind the attacked one: hosts of pictures and videos that drip, one that doesn't, and a public
// AppView that allows few requests. The attacks that use them, and those that store what others choose.

import { randomBytes } from 'node:crypto'
import { startAppviewDouble } from '../appview-double.ts'
import { startBlobHost } from '../blob-host.ts'
import { crowd } from '../costly/acts.ts'
import { CUSTOM_TIMELINES } from '../costly/programs-rows.ts'
import type { Request } from '../costly/requests.ts'
import type { CostlyServer } from '../costly/server.ts'
import { type Cast, MEMBER } from '../costly/worst-rows.ts'
import { didDocument } from '../plc-double.ts'
import type { Attack } from './attacks.ts'

export type Outside = Awaited<ReturnType<typeof startOutside>>

/** In five minutes. */
export const APPVIEW_ALLOWS = 100
const TYPEAHEAD = 'app.bsky.actor.searchActorsTypeahead'
const DRIPPING_BLOBS = 200
const ODD_LOOKUPS = 5_000
const SKIPPED = 50
/** An attacker leaves a dripping answer, which the server still waits for. */
const PATIENCE_MS = 200
const DRIPPERS = [crowd(2), crowd(3), crowd(4), crowd(6)]
const DILIGENT = crowd(7)
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const ANY_KEY = 'did:key:zQ3shokFTS3brHcDQrn82RUDfCZESWL1ZdCEJwekUDPQiYBme'

export async function startOutside() {
  const appview = await startAppviewDouble()
  const [dripping, diligent] = [await startBlobHost(), await startBlobHost()]
  dripping.behave('drip')
  appview.allow(APPVIEW_ALLOWS)
  appview.answer(TYPEAHEAD, { actors: [] })
  return {
    env: { FALLBACK_APPVIEW: appview.origin, IMAGES: 'own', VIDEOS: 'own' },
    dripping,
    diligent,
    /** How many questions of visitors the public AppView was asked. */
    visitorsQuestions: () => appview.askedFor(TYPEAHEAD).length,
    async close(): Promise<void> {
      for (const item of [appview, dripping, diligent]) await item.close()
    },
  }
}

/** Attacks that need these servers, or something of the attacked one first. */
export async function attacksBeyond(
  server: CostlyServer,
  outside: Outside,
  cast: Cast,
): Promise<Attack[]> {
  return [
    drippingHosts(server, outside),
    oddLookups(),
    await storedCursors(server, cast),
    skippedNumbers(),
  ]
}

/** With pictures of another account between them, which a host sends at once. */
function drippingHosts({ plc }: CostlyServer, { dripping, diligent }: Outside): Attack {
  const hosts = new Map(DRIPPERS.map((did) => [did, dripping.url]))
  hosts.set(DILIGENT, diligent.url.replace('127.0.0.1', 'localhost'))
  for (const [did, pds] of hosts) {
    plc.edit(did, () => didDocument({ did, handle: 'host.test', pds, signingKey: ANY_KEY }))
  }
  const blob = (size: number) => Buffer.concat([PNG, randomBytes(size)])
  const drips = (i: number): Request => {
    const name = `${DRIPPERS[i % DRIPPERS.length]}/${dripping.put(blob(100_000))}`
    const path = [`/video/${name}`, `/blob/${name}`, `/img/avatar/plain/${name}`][i % 3]!
    return { method: 'media', path, patienceMs: PATIENCE_MS }
  }
  const requests = Array.from(
    { length: DRIPPING_BLOBS },
    (_, i): Request =>
      i % 16 === 15
        ? { method: 'media', path: `/blob/${DILIGENT}/${diligent.put(blob(1_000))}` }
        : drips(i),
  )
  return { name: 'media: dripping hosts', by: ['a visitor'], requests }
}

/** Each of another word, so that no answer is remembered. */
function oddLookups(): Attack {
  const requests = Array.from({ length: ODD_LOOKUPS }, (_, i) => ({
    method: TYPEAHEAD,
    path: `/xrpc/${TYPEAHEAD}?q=odd${i}&limit=100`,
  }))
  return { name: 'look-ups at the public AppView', by: ['a visitor'], requests }
}

/** Of merges of the member's own lists in ever new orders. */
async function storedCursors(server: CostlyServer, { ownLists }: Cast): Promise<Attack> {
  const keys = ownLists.flatMap((list) =>
    ownLists.filter((other) => other !== list).map((other) => `list:${list}+list:${other}`),
  )
  const of = { method: '/v1/timelines', viewer: MEMBER }
  const requests: Request[] = []
  for (const key of keys.slice(0, 100)) {
    const path = `/v1/timelines/${encodeURIComponent(key)}`
    const { text } = await server.ask({ ...of, path: `${path}/events?limit=1` })
    // Only a page that the clock cut has a next one: all accounts of these lists block the member, or are blocked.
    const { prev_cursor: cursor } = JSON.parse(text) as { prev_cursor: string }
    requests.push({ ...of, path: `${path}/cursor`, verb: 'PUT', body: { cursor } })
  }
  return { name: '/v1: kept cursors', by: ['a member'], requests }
}

/** Events whose numbers skip as many as they may, named as long as they may be, and pages between them. */
function skippedNumbers(): Attack {
  const path = `/v1/timelines/custom:${CUSTOM_TIMELINES[1]}/events`
  const post = (i: number): Request => ({
    method: '/v1/timelines',
    token: 'program',
    path,
    verb: 'POST',
    body: {
      entity_id: '語'.repeat(1_024),
      entity_type: 'post',
      payload: 1,
      producer_ts: Date.now(),
      // Sixteen at once, out of order, skip no more than a producer may.
      producer_seq: 1 + i * SKIPPED,
    },
  })
  const page: Request = { method: '/v1/timelines', token: 'program', path: `${path}?limit=100` }
  const requests = Array.from({ length: 2_000 }, (_, i) => (i % 10 === 9 ? page : post(i)))
  return { name: '/v1: skipped numbers', by: ['a program'], requests }
}
