// For You in the process as an operator runs it: likes of the stream fill a member's page while it runs, after a
// restart, after kill -9, and beside a damaged snapshot; with 0 MB, Discover is what it was.

import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { until } from '../../support/eventually.ts'
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
import { startFirehoseDouble } from '../verification/firehose-double.ts'
import { DISCOVER, type FeedPage } from './feed-world.ts'

const SERVICE_DID = 'did:web:appview.example.org'
const OPERATOR = 'the-operator-of-this-place'
const POST = 'app.bsky.feed.post'
const LIKE = 'app.bsky.feed.like'

let plc: PlcDouble
let double: JetstreamDouble
const people: PlcAccount[] = []
const started: SlipstreamProcess[] = []
let clock = Date.now() * 1000

beforeAll(async () => {
  plc = await startPlcDouble()
  for (let i = 0; i < 8; i++) people.push(await plc.create({ handle: `p${i}.example.org` }))
})
afterAll(() => plc.close())
afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.stop('SIGKILL')))
  await double.close()
})

async function start(env: Record<string, string> = {}): Promise<number> {
  const server = startSlipstream({
    HOSTNAME: 'appview.example.org',
    INDEX_SCOPE: 'network',
    JETSTREAM_HOSTS: double.url,
    PLC_URL: plc.url,
    ALLOW_PRIVATE_HOSTS: 'on',
    FOR_YOU_MB: '4',
    OPERATOR_TOKEN: OPERATOR,
    ...env,
  })
  started.push(server)
  return server.port()
}

function create(by: PlcAccount, collection: string, fields: object) {
  const record = { $type: collection, createdAt: new Date().toISOString(), ...fields }
  const rkey = tidAt(clock++)
  const cid = cidOf(record)
  const event = { did: by.did, collection, rkey, cid, record }
  double.emit({ ...event, operation: 'create' as const })
  return { uri: `at://${by.did}/${collection}/${rkey}`, cid }
}

/** Three like what the reader likes, and then six posts more. */
function emitCommunity([reader, author, ...friends]: PlcAccount[]): string[] {
  const authors = people.slice(1)
  for (const account of people) create(account, 'app.bsky.actor.profile', {})
  const shared = [0, 1, 2, 3, 4].map(() => create(author!, POST, { text: 'shared' }))
  for (const subject of shared) for (const friend of friends) create(friend, LIKE, { subject })
  const further = [0, 1, 2, 3, 4, 5].map((i) => create(authors[i]!, POST, { text: 'further' }))
  for (const subject of further) for (const friend of friends) create(friend, LIKE, { subject })
  for (const subject of shared) create(reader!, LIKE, { subject })
  return further.map(({ uri }) => uri)
}

async function look(port: number, reader: PlcAccount): Promise<string[]> {
  const lxm = 'app.bsky.feed.getFeed'
  const token = await signServiceJwt(reader.keypair, { iss: reader.did, aud: SERVICE_DID, lxm })
  // One post each time, since a longer page counts as seen.
  const query = new URLSearchParams({ feed: DISCOVER, limit: '1' })
  const answer = await fetch(`http://127.0.0.1:${port}/xrpc/${lxm}?${query}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const { feed } = (await answer.json()) as FeedPage
  return (feed ?? []).map(({ post, feedContext }) => `${post.uri} ${feedContext}`)
}

/** What the explore page says about a post and an account. */
async function checksOf(port: number, reader: PlcAccount, uri: string): Promise<string[]> {
  const query = new URLSearchParams({ actor: reader.did, uri })
  const answer = await fetch(`http://127.0.0.1:${port}/explore/api/post?${query}`, {
    headers: { authorization: `Bearer ${OPERATOR}` },
  })
  return ((await answer.json()) as { checks: { text: string }[] }).checks.map(({ text }) => text)
}

const because = /liked by \d people who share up to 5 likes with you$/

test('the page is there while it runs, after a restart and after kill -9', async () => {
  double = await createJetstreamDouble()
  const DATA_DIR = freshDataDir()
  let port = await start({ DATA_DIR })
  await until(() => double.openConnections() > 0)
  emitCommunity(people)
  const reader = people[0]!
  const isFound = () => expect.poll(async () => (await look(port, reader))[0]).toMatch(because)
  await isFound()
  const [uri] = (await look(port, reader))[0]!.split(' ')
  expect(await checksOf(port, reader, uri!)).toContainEqual(
    expect.stringMatching(
      /^For You would choose it as number \d: liked by \d people who share up to 5 likes with them\.$/,
    ),
  )
  await started[0]!.stop('SIGTERM')
  expect(existsSync(join(DATA_DIR, 'for-you.snapshot'))).toBe(true)
  port = await start({ DATA_DIR })
  await isFound()
  await started[1]!.stop('SIGKILL')
  port = await start({ DATA_DIR })
  await isFound()
  await started[2]!.stop('SIGTERM')
  writeFileSync(join(DATA_DIR, 'for-you.snapshot'), 'damaged')
  port = await start({ DATA_DIR })
  await started[3]!.waitFor(/For You begins anew/)
  // From the stream's past.
  await isFound()
  await started[3]!.waitFor(/For You has read the likes of the past hours/)
  const connections = () => double.connections().length
  const before = connections()
  await started[3]!.stop('SIGTERM')
  port = await start({ DATA_DIR })
  await until(() => connections() > before)
  await isFound()
  expect(connections()).toBe(before + 1)
})

test('with 0 MB, nothing is found and nothing is kept', async () => {
  double = await createJetstreamDouble()
  const DATA_DIR = freshDataDir()
  const port = await start({ DATA_DIR, FOR_YOU_MB: '0' })
  await until(() => double.openConnections() > 0)
  emitCommunity(people)
  const marker = create(people[7]!, POST, { text: 'last' })
  await expect
    .poll(async () => {
      const answer = await fetch(
        `http://127.0.0.1:${port}/xrpc/app.bsky.feed.getPosts?uris=${encodeURIComponent(marker.uri)}`,
      )
      return ((await answer.json()) as { posts?: unknown[] }).posts?.length
    })
    .toBe(1)
  expect(await look(port, people[0]!)).toEqual([])
  await started[0]!.stop('SIGTERM')
  expect(existsSync(join(DATA_DIR, 'for-you.snapshot'))).toBe(false)
})

test('without Jetstream there is no past to read, and a member’s first look is answered', async () => {
  double = await createJetstreamDouble()
  const relay = await startFirehoseDouble()
  const port = await start({ JETSTREAM_HOSTS: 'off', RELAY_HOSTS: relay.url })
  await until(() => relay.openConnections() > 0)
  expect(await look(port, people[0]!)).toEqual([])
  // Asked again, it is the same process that answers.
  await until(async () => (await look(port, people[0]!)).length === 0)
  expect(started[0]!.output()).not.toMatch(/no Jetstream host|"level":60/)
  await relay.close()
})
