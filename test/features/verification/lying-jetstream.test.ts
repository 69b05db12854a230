// A process with VERIFY=members beside a Jetstream that is honest at first, then makes things up and keeps
// things back. Its accounts' server signs their repositories.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually, until } from '../../support/eventually.ts'
import { type PdsDouble, startPdsDouble } from '../../support/pds-double.ts'
import { cidOf } from '../../support/records.ts'
import { signServiceJwt } from '../../support/service-jwt.ts'
import { signRepositories } from '../../support/signed-repositories.ts'
import { startTimelinesProcess, type TimelinesProcess } from '../../support/timelines-process.ts'

const POST = 'app.bsky.feed.post'
/** Checks are made within seconds; all that a test waits for here is promised within a minute. */
const MINUTE = { withinMs: 60_000, pollMs: 500 }

let pds: PdsDouble
let slipstream: TimelinesProcess

beforeAll(async () => {
  pds = await startPdsDouble()
  const settings = {
    VERIFY: 'members',
    RELAY_HOSTS: 'off',
    METRICS: 'open',
    INDEX_SCOPE: 'community',
  }
  slipstream = await startTimelinesProcess(['ann', 'bob', 'reader'], settings, { pds })
  const people = ['ann', 'bob'].map((name) => slipstream.accountOf(name))
  for (const { did, handle } of people) pds.account(did) ?? pds.create({ did, handle })
  signRepositories(
    pds,
    slipstream.plc,
    people.map(({ did }) => did),
  )
  await slipstream.start()
  await until(() => slipstream.double.openConnections() > 0)
})
afterAll(async () => {
  await slipstream.close()
  await pds.close()
})

function write(name: string, text: string, ageMs: number) {
  const value = { $type: POST, text, createdAt: new Date(Date.now() - ageMs).toISOString() }
  const account = pds.account(slipstream.didOf(name))!
  return account.put({ collection: POST, value, atMs: Date.now() - ageMs })
}

async function counted(name: string, labels: string): Promise<number> {
  const text = await (await fetch(`${slipstream.origin()}/metrics`)).text()
  return Number(
    new RegExp(`^slipstream_${name}\\{.*${labels}.*\\} (.*)$`, 'm').exec(text)?.[1] ?? 0,
  )
}

async function isShown(uri: string): Promise<boolean> {
  const { did, keypair } = slipstream.accountOf('reader')
  const document = await (await fetch(`${slipstream.origin()}/.well-known/did.json`)).json()
  const { id: aud } = document as { id: string }
  const token = await signServiceJwt(keypair, { iss: did, aud, lxm: 'app.bsky.feed.getPosts' })
  const path = `/xrpc/app.bsky.feed.getPosts?uris=${encodeURIComponent(uri)}`
  const { body } = await slipstream.ask<{ posts: object[] }>('GET', path, { token })
  return body.posts.length > 0
}

test('what an honest host says is proved', async () => {
  for (let i = 0; i < 10; i++) slipstream.double.emit(write('bob', `post ${i}`, 120_000))
  await eventually(
    async () => expect(await counted('verifications_total', 'outcome="proved"')).toBeGreaterThan(9),
    MINUTE,
  )
  expect(await counted('unverified_total', 'host=')).toBe(0)
})

test('what it makes up is found within a minute, counted, and put right', async () => {
  const record = { $type: POST, text: 'bob never said this', createdAt: new Date().toISOString() }
  const forged = { did: slipstream.didOf('bob'), collection: POST, rkey: '3zzzzzzzzzzzz', record }
  slipstream.double.emit({ ...forged, operation: 'create', cid: cidOf(record) })
  const uri = `at://${forged.did}/${POST}/${forged.rkey}`
  await eventually(
    async () => expect(await counted('unverified_total', 'reason="forged"')).toBeGreaterThan(0),
    MINUTE,
  )
  await eventually(async () => expect(await isShown(uri)).toBe(false), MINUTE)
})

test('what it keeps back is found within a minute, and fetched', async () => {
  const { did, rkey } = write('bob', 'kept from the stream', 30_000)
  await eventually(
    async () => expect(await counted('unverified_total', 'reason="kept-back"')).toBeGreaterThan(0),
    MINUTE,
  )
  await eventually(
    async () => expect(await isShown(`at://${did}/${POST}/${rkey}`)).toBe(true),
    MINUTE,
  )
})

test('so is what it keeps back of an account of which it never said anything', async () => {
  write('ann', 'never heard of', 0)
  await eventually(
    async () => expect(await counted('unverified_total', 'reason="kept-back"')).toBe(2),
    { withinMs: 90_000, pollMs: 500 },
  )
})
