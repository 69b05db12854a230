// Which accounts a restarted server admits while the directory is unreachable: the process as an operator
// runs it, killed and started on the same data, with tokens as a PDS signs them.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../../src/base/util/durations.ts'
import {
  createJetstreamDouble,
  type JetstreamDouble,
} from '../../support/jetstream-double/double.ts'
import { type PlcAccount, type PlcDouble, startPlcDouble } from '../../support/plc-double.ts'
import { cidOf, tidAt } from '../../support/records.ts'
import { signServiceJwt } from '../../support/service-jwt.ts'
import {
  freshDataDir,
  type SlipstreamProcess,
  startSlipstream,
} from '../../support/slipstream-process.ts'

const CLOCK_HOOK = join(import.meta.dirname, '../../support/torture/skewed-clock.ts')
const SERVICE_DID = 'did:web:appview.example.org'
const PREFERENCES = 'app.bsky.actor.getPreferences'
const WRITE = 'app.bsky.actor.putPreferences'

let plc: PlcDouble
let double: JetstreamDouble
let dataDir: string
let current: SlipstreamProcess | undefined
let origin: string
let skewMs: number
beforeEach(async () => {
  plc = await startPlcDouble()
  double = await createJetstreamDouble()
  dataDir = freshDataDir()
  skewMs = 0
})
afterEach(async () => {
  await current?.stop('SIGKILL')
  await double.close()
  await plc.close()
})

async function start(): Promise<void> {
  await current?.stop('SIGKILL')
  const settings = {
    HOSTNAME: 'appview.example.org',
    JETSTREAM_HOSTS: double.url,
    PLC_URL: plc.url,
    ALLOW_PRIVATE_HOSTS: 'on',
    DATA_DIR: dataDir,
  }
  const clock = `${dataDir}.clock`
  writeFileSync(clock, String(skewMs))
  const node = { options: ['--import', CLOCK_HOOK], env: { TORTURE_CLOCK: clock } }
  current = startSlipstream(settings, [], node)
  origin = `http://127.0.0.1:${await current.port()}`
}

async function ask(account: PlcAccount, lxm = PREFERENCES, input?: unknown): Promise<Response> {
  const iat = Math.floor((Date.now() + skewMs) / 1000)
  const token = await signServiceJwt(account.keypair, {
    iss: account.did,
    aud: SERVICE_DID,
    lxm,
    iat,
    exp: iat + 60,
  })
  const headers = { authorization: `Bearer ${token}` }
  if (input === undefined) return fetch(`${origin}/xrpc/${lxm}`, { headers })
  const body = JSON.stringify(input)
  const type = { 'content-type': 'application/json' }
  return fetch(`${origin}/xrpc/${lxm}`, { method: 'POST', headers: { ...headers, ...type }, body })
}

const statusFor = async (account: PlcAccount) => (await ask(account)).status

/** Once the writer has answered, all earlier requests to it are committed. */
async function writeSomething(account: PlcAccount): Promise<void> {
  expect((await ask(account, WRITE, { preferences: [] })).status).toBe(200)
}

/** An account whose key the server has stored: the second request comes from a member. */
async function member(handle: string): Promise<PlcAccount> {
  const account = await plc.create({ handle })
  await writeSomething(account)
  await writeSomething(account)
  return account
}

async function withNewKey(account: PlcAccount): Promise<PlcAccount> {
  return { ...account, keypair: await plc.rotate(account.did) }
}

let keyUs = Date.now() * 1000

/** Once this is shown, all earlier events of the stream are committed. */
async function postAppears({ did }: PlcAccount): Promise<void> {
  const record = {
    $type: 'app.bsky.feed.post',
    text: 'after all that',
    createdAt: new Date().toISOString(),
  }
  const rkey = tidAt(keyUs++)
  const [cid, collection] = [cidOf(record), record.$type]
  double.emit({ did, operation: 'create', collection, rkey, cid, record })
  const uri = encodeURIComponent(`at://${did}/${collection}/${rkey}`)
  const visible = async () => {
    const answer = await fetch(`${origin}/xrpc/app.bsky.feed.getPosts?uris=${uri}`)
    return ((await answer.json()) as { posts: unknown[] }).posts.length
  }
  await expect.poll(visible).toBe(1)
}

test('only a member whose key was fetched less than a day ago is admitted', async () => {
  await start()
  const alice = await member('alice.test')
  const bob = await plc.create({ handle: 'bob.test' })
  await plc.close()
  skewMs = DAY_MS - HOUR_MS
  await start()
  expect(await statusFor(alice)).toBe(200)
  expect(await statusFor(alice)).toBe(200)
  expect(await statusFor({ ...bob, did: alice.did })).toBe(401)
  const stranger = await ask(bob)
  expect([stranger.status, await stranger.json()]).toEqual([
    503,
    expect.objectContaining({ error: 'UpstreamFailure' }),
  ])
  // Not even if the clock was ahead when the key was fetched.
  for (skewMs of [DAY_MS + HOUR_MS, -DAY_MS - HOUR_MS]) {
    await start()
    expect(await statusFor(alice), `${skewMs} ms`).toBe(503)
  }
})

test('a key replaced meanwhile is valid until the directory can answer, and no longer', async () => {
  await start()
  const alice = await member('alice.test')
  await current?.stop('SIGKILL')
  const second = await withNewKey(alice)
  await start()
  expect(await statusFor(alice)).toBe(401)
  expect(await statusFor(second)).toBe(200)
  await writeSomething(second)
  plc.failWith(503)
  const third = await withNewKey(alice)
  await start()
  expect(await statusFor(alice)).toBe(401)
  expect(await statusFor(second)).toBe(200)
  expect(await statusFor(third)).toBe(401)
  plc.failWith(undefined)
  expect(await statusFor(third)).toBe(200)
  expect(await statusFor(second)).toBe(401)
})

test('no identity is kept for a changed document, or for a deleted or hidden account', async () => {
  await start()
  const [bob, changed, buried] = [
    await member('bob.test'),
    await member('changed.test'),
    await member('buried.test'),
  ]
  const statuses = ['takendown', 'suspended', 'deleted'] as const
  const hidden: PlcAccount[] = []
  for (const status of statuses) hidden.push(await member(`${status}.test`))
  // A token that does not verify causes the document to be looked up again.
  plc.edit(buried.did, () => undefined)
  expect(await statusFor({ ...bob, did: buried.did })).toBe(401)
  await writeSomething(bob)
  plc.failWith(503)
  double.emit({ kind: 'identity', did: changed.did, handle: changed.handle })
  for (const [i, status] of statuses.entries()) {
    double.emit({ kind: 'account', did: hidden[i]!.did, active: false, status })
  }
  await postAppears(bob)
  await start()
  expect(await statusFor(bob)).toBe(200)
  for (const account of [changed, buried, ...hidden]) {
    expect(await statusFor(account), account.handle).toBe(503)
  }
})
