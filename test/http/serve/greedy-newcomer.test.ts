// How much one newcomer's request makes a whole process fetch: follows of accounts with huge posts, and of
// thousands of accounts. Counted at the doubles of PDS and directory, and in the rows.

import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Db, openReader } from '../../../src/data/store/db.ts'
import { listMembers } from '../../../src/http/operator/members.ts'
import { type PdsAccount, type PdsDouble, startPdsDouble } from '../../support/pds-double.ts'
import {
  type PlcAccount,
  type PlcDouble,
  plcDid,
  startPlcDouble,
} from '../../support/plc-double.ts'
import { signServiceJwt } from '../../support/service-jwt.ts'
import {
  freshDataDir,
  type SlipstreamProcess,
  startSlipstream,
} from '../../support/slipstream-process.ts'

const METHOD = 'app.bsky.feed.getTimeline'
const BEGAN_MS = Date.parse('2026-11-01T12:00:00Z')

let plc: PlcDouble
let pds: PdsDouble
let server: SlipstreamProcess
let db: Db

beforeEach(async () => {
  plc = await startPlcDouble()
  pds = await startPdsDouble()
})
afterEach(async () => {
  await server.stop('SIGKILL')
  db.close()
  await Promise.all([plc.close(), pds.close()])
})

async function person(name: string): Promise<{ account: PlcAccount; repo: PdsAccount }> {
  const account = await plc.create({ handle: `${name}.test`, pds: pds.origin })
  return { account, repo: pds.create(account) }
}

function write(repo: PdsAccount, collection: string, value: Record<string, unknown>): void {
  const createdAt = new Date(BEGAN_MS).toISOString()
  repo.put({ collection, value: { createdAt, ...value }, atMs: BEGAN_MS })
}

/** Sends the newcomer's one request. */
async function comeIn({ did, keypair }: PlcAccount): Promise<void> {
  const dataDir = freshDataDir()
  server = startSlipstream({
    HOSTNAME: 'appview.example.org',
    JETSTREAM_HOSTS: 'ws://127.0.0.1:9',
    PLC_URL: plc.url,
    ALLOW_PRIVATE_HOSTS: 'on',
    DATA_DIR: dataDir,
  })
  const origin = `http://127.0.0.1:${await server.port()}`
  const claims = { iss: did, aud: 'did:web:appview.example.org', lxm: METHOD }
  const headers = { authorization: `Bearer ${await signServiceJwt(keypair, claims)}` }
  expect((await fetch(`${origin}/xrpc/${METHOD}`, { headers })).status).toBe(200)
  db = openReader(dataDir)
}

test('huge posts by a newcomer’s follows bring a megabyte of each author, and the rest is reported', async () => {
  const { account, repo } = await person('newcomer')
  const description = 'x'.repeat(95_000)
  for (let i = 0; i < 8; i++) {
    const author = await person(`author${i}`)
    write(repo, 'app.bsky.graph.follow', { subject: author.account.did })
    for (let n = 0; n < 40; n++) {
      const external = { uri: 'https://example.org/', title: 'huge', description }
      const embed = { $type: 'app.bsky.embed.external', external }
      write(author.repo, 'app.bsky.feed.post', { text: `huge ${n}`, embed })
    }
  }
  await comeIn(account)
  await expect.poll(() => listMembers(db, { reasonableLimit: 0 })[0]?.isComplete).toBe(true)
  const posts = db.prepare<[], number>('SELECT count(*) FROM posts WHERE state = 1').pluck()
  expect(posts.get()).toBe(8 * 10)
  expect(listMembers(db, { reasonableLimit: 0 })[0]!.recordsLater).toBe(8 * 30)
})

test('of 3,000 follows 2,000 are looked up at once, and each other is one row', async () => {
  const { account, repo } = await person('newcomer')
  for (let i = 0; i < 3_000; i++)
    write(repo, 'app.bsky.graph.follow', { subject: plcDid(`nobody ${i}`) })
  await comeIn(account)
  await expect.poll(() => listMembers(db, { reasonableLimit: 0 })[0]?.follows).toBe(3_000)
  await expect.poll(() => listMembers(db, { reasonableLimit: 0 })[0]?.later).toBeGreaterThan(800)
  const atOnce = db
    .prepare<[], number>("SELECT count(DISTINCT subject) FROM jobs WHERE kind != 'author'")
    .pluck()
  expect(atOnce.get()).toBeLessThanOrEqual(2_100)
  expect(plc.hits()).toBeLessThanOrEqual(2_100)
})
