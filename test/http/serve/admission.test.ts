// Admission to a whole process during mass registration by the thousand: real tokens, a directory over HTTP,
// and addresses as reported by a local proxy.

import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openReader } from '../../../src/data/store/db.ts'
import { type PlcAccount, type PlcDouble, startPlcDouble } from '../../support/plc-double.ts'
import { signServiceJwt } from '../../support/service-jwt.ts'
import {
  freshDataDir,
  type SlipstreamProcess,
  startSlipstream,
} from '../../support/slipstream-process.ts'

const SERVICE_DID = 'did:web:appview.example.org'
const METHOD = 'app.bsky.notification.getUnreadCount'
const AT_ONCE = 20

let plc: PlcDouble
let server: SlipstreamProcess
let origin: string

beforeAll(async () => {
  plc = await startPlcDouble()
})
afterEach(() => server.stop('SIGKILL'))
afterAll(() => plc.close())

/** @returns its data folder */
async function start(settings: Record<string, string> = {}): Promise<string> {
  const dataDir = freshDataDir()
  server = startSlipstream({
    HOSTNAME: 'appview.example.org',
    JETSTREAM_HOSTS: 'ws://127.0.0.1:9',
    PLC_URL: plc.url,
    ALLOW_PRIVATE_HOSTS: 'on',
    DATA_DIR: dataDir,
    ...settings,
  })
  origin = `http://127.0.0.1:${await server.port()}`
  return dataDir
}

const mint = () =>
  plc.create({ handle: `${randomBytes(8).toString('hex')}.test`, pds: 'http://127.0.0.1:9' })

async function signIn(account: PlcAccount, from: string) {
  const token = await signServiceJwt(account.keypair, {
    iss: account.did,
    aud: SERVICE_DID,
    lxm: METHOD,
  })
  const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': from }
  const answer = await fetch(`${origin}/xrpc/${METHOD}`, { headers })
  return { status: answer.status, headers: answer.headers, body: await answer.json() }
}

async function signInMany(count: number, from: string): Promise<number[]> {
  const statuses: number[] = []
  while (statuses.length < count) {
    const some = Array.from(
      { length: AT_ONCE },
      async () => (await signIn(await mint(), from)).status,
    )
    statuses.push(...(await Promise.all(some)))
  }
  return statuses
}

test('1,000 accounts from one address get a fifth of the hour’s quota; a newcomer from elsewhere is admitted', async () => {
  await start()
  const statuses = await signInMany(1_000, '203.0.113.1')
  const admitted = statuses.filter((status) => status === 200).length
  expect(admitted).toBeGreaterThanOrEqual(195)
  expect(admitted).toBeLessThanOrEqual(200)
  expect(new Set(statuses)).toEqual(new Set([200, 429]))
  const refused = await signIn(await mint(), '203.0.113.1')
  expect(refused.body).toMatchObject({ error: 'RateLimitExceeded' })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await signIn(await mint(), '198.51.100.7')).status).toBe(200)
})

test('if junk accounts hold every seat, a newcomer still gets one, within the limit of members', async () => {
  const dataDir = await start({ MAX_MEMBERS: '60' })
  const junk = await signInMany(160, '203.0.113.1')
  expect(new Set(junk)).toEqual(new Set([200]))
  const person = await mint()
  expect((await signIn(person, '198.51.100.7')).status).toBe(200)
  const db = openReader(dataDir)
  const members = db.prepare<[], string>('SELECT did FROM members JOIN actors USING (uid)').pluck()
  await expect.poll(() => members.all()).toContain(person.did)
  expect(members.all()).toHaveLength(60)
  db.close()
})
