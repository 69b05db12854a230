// The load of buckets at /metrics: a member's call counts for the member's bucket, and a visitor's for none.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { bucketOf } from '../../../src/features/cluster/engine/buckets.ts'
import { eventually, until } from '../../support/eventually.ts'
import { signServiceJwt } from '../../support/service-jwt.ts'
import { startTimelinesProcess, type TimelinesProcess } from '../../support/timelines-process.ts'

/** Values are told once a second, and scrapes are limited. */
const SLOWLY = { pollMs: 500 }
const TIMELINE = 'app.bsky.feed.getTimeline'

let slipstream: TimelinesProcess
let us: string

beforeAll(async () => {
  slipstream = await startTimelinesProcess(['ann', 'bob'], { METRICS: 'open', SERVE_THREADS: '2' })
  await slipstream.start()
  await until(() => slipstream.double.openConnections() > 0)
  const document = await fetch(`${slipstream.origin()}/.well-known/did.json`)
  us = ((await document.json()) as { id: string }).id
})
afterAll(() => slipstream.close())

async function read(name: string): Promise<void> {
  const { did, keypair } = slipstream.accountOf(name)
  const token = await signServiceJwt(keypair, { iss: did, aud: us, lxm: TIMELINE })
  const { status } = await slipstream.ask('GET', `/xrpc/${TIMELINE}`, { token })
  expect(status).toBe(200)
}

async function loads(): Promise<Map<number, number>> {
  const text = await (await fetch(`${slipstream.origin()}/metrics`)).text()
  const lines = text.matchAll(/^slipstream_bucket_seconds_total\{bucket="(\d+)"\} (\S+)$/gm)
  return new Map([...lines].map(([, bucket, seconds]) => [Number(bucket), Number(seconds)]))
}

test('is that of members’ calls, by their bucket', async () => {
  const [ann, bob] = ['ann', 'bob'].map((name) => bucketOf(slipstream.didOf(name)))
  await slipstream.ask('GET', '/xrpc/app.bsky.actor.searchActors?q=bob')
  // The kernel counts a thread's time in steps: a short call may take none.
  await eventually(async () => {
    await read('ann')
    expect([...(await loads()).keys()]).toEqual([ann])
  }, SLOWLY)
  const once = (await loads()).get(ann!)!
  expect(once).toBeGreaterThan(0)
  await eventually(async () => {
    for (let i = 0; i < 20; i++) await read('ann')
    await read('bob')
    const all = await loads()
    expect(new Set(all.keys())).toEqual(new Set([ann, bob]))
    expect(all.get(ann!)).toBeGreaterThan(once)
  }, SLOWLY)
})
