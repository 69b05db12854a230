// A newcomer's first minute in the official client: accounts with a past on a real PDS, and Slipstream
// started later, so that everything is fetched by the cold start. Requests are made at the moments that
// matter to people: the first screen, the end of the feed, and after something new is written.

import { mkdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import {
  type Account,
  createAccount,
  follow,
  post,
  put,
  type Ref,
  uploadImage,
} from './support/account.ts'
import { type ClientAtHome, clientAtHome } from './support/client-at-home.ts'
import { freePort } from './support/free-port.ts'
import { type Jetstream, startJetstream } from './support/jetstream.ts'
import { CONFIGURED_APPVIEW_DID, type Network, startNetwork } from './support/network.ts'
import { type SimulatedTown, simulateTown } from './support/simulated-town.ts'
import { createSlipstream, type Slipstream } from './support/slipstream.ts'

const FRIENDS = 35
const ROUNDS = 2
const SIMULATED = 2_000
const SCREEN = 30
const LOG_TAIL = 6_000
/** A page waits for somewhat longer. */
const LEAST_WAIT_S = 5
const QUOTING = ', with a quote'
const QUOTED = 'quoted by everybody'
const FOLLOWS_A_CALL = 200
/** After another call, because the client itself may start fast or slowly. */
const DELAYS_MS = [0, 250, 2_000]
/** Times at which the newcomer reads, and reads again. */
const MARKS_MS = [1_000, 5_000, 30_000, 120_000]

type World = {
  network: Network
  jetstream: Jetstream
  town: SimulatedTown
  slipstream: Slipstream
  person: (name: string) => Promise<Account>
  friends: Account[]
  /** The friends' posts, newest first. */
  texts: string[]
}

type Newcomer = { account: Account; client: ClientAtHome }

let world: World

beforeAll(async () => {
  const port = await freePort()
  const network = await startNetwork(port)
  const appViewDid = `did:web:localhost%3A${port}`
  const person = (name: string) => createAccount(network, { name, appViewDid })
  const town = await simulateTown(SIMULATED, network.plcUrl)
  const { friends, texts } = await liveThere(person)
  const jetstream = await startJetstream('double', network)
  const slipstream = createSlipstream(port, {
    ...jetstream.settings,
    SLIPSTREAM_PLC_URL: town.plcUrl,
    SLIPSTREAM_ALT_AUDIENCES: CONFIGURED_APPVIEW_DID,
  })
  world = { network, jetstream, town, slipstream, person, friends, texts }
})

afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') console.error(world?.slipstream.log().slice(-LOG_TAIL))
  await world.slipstream.kill().catch(() => undefined)
})

afterAll(async () => {
  await world?.slipstream.dispose()
  await world?.jetstream.stop()
  await world?.town.stop()
  await world?.network.stop()
})

/** Friends take turns writing; some posts quote one by a stranger that no newcomer follows. */
async function liveThere(person: World['person']): Promise<Pick<World, 'friends' | 'texts'>> {
  const stranger = await person('stranger')
  const quoted = await post(stranger, QUOTED)
  const friends: Account[] = []
  for (let i = 0; i < FRIENDS; i++) friends.push(await person('friend'))
  const texts: string[] = []
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, friend] of friends.entries()) {
      const text = `round ${round} of friend ${i}${isQuoting(i) ? QUOTING : ''}`
      await post(friend, text, isQuoting(i) ? { embed: quoteOf(quoted) } : {})
      texts.unshift(text)
    }
  }
  for (const friend of friends) {
    const avatar = await uploadImage(friend)
    await put(friend, 'app.bsky.actor.profile', 'self', { displayName: friend.handle, avatar })
  }
  return { friends, texts }
}

const isQuoting = (friend: number) => friend % 5 === 4

function quoteOf({ uri, cid }: Ref) {
  return { $type: 'app.bsky.embed.record', record: { uri, cid } }
}

async function followMany(newcomer: Account, dids: readonly string[]): Promise<void> {
  const createdAt = new Date().toISOString()
  for (let i = 0; i < dids.length; i += FOLLOWS_A_CALL) {
    const writes = dids.slice(i, i + FOLLOWS_A_CALL).map((subject) => ({
      $type: 'com.atproto.repo.applyWrites#create' as const,
      collection: 'app.bsky.graph.follow',
      value: { $type: 'app.bsky.graph.follow', subject, createdAt },
    }))
    await newcomer.agent.com.atproto.repo.applyWrites({ repo: newcomer.did, writes })
  }
}

/** An account that followed these before Slipstream started with an empty database. */
async function newcomer(followed: readonly string[]): Promise<Newcomer> {
  const account = await personFollowing(followed)
  await startAnew()
  return { account, client: clientAtHome(account) }
}

async function personFollowing(followed: readonly string[]): Promise<Account> {
  const account = await world.person('newcomer')
  await followMany(account, followed)
  return account
}

async function startAnew(): Promise<void> {
  await world.slipstream.dispose()
  mkdirSync(world.slipstream.dataDir)
  await world.slipstream.start()
}

/**
 * A server is busy for seconds with what follows from 2,000 new records, and answers nobody meanwhile. A page does not
 * wait for so long. Gives up after a minute, since the whole machine may be busy.
 */
async function atRest({ agent, did }: Account): Promise<void> {
  for (let [quick, i] = [0, 0]; quick < 5 && i < 100; i++) {
    const requestedAt = performance.now()
    await agent.app.bsky.graph.follow.list({ repo: did, limit: 1 })
    quick = performance.now() - requestedAt < 100 ? quick + 1 : 0
    await sleep(500)
  }
}

const didsOf = (accounts: readonly Account[]) => accounts.map(({ did }) => did)

/**
 * Holds at any moment, however slow the machine: posts are in order, the client never shows
 * anything untrue or a quote without its text while more is arriving, and a client that reached the
 * end has seen everything. Posts that a page had to leave out because they arrived too late follow
 * in Discover below the end, newest first.
 */
function expectHonest(client: ClientAtHome, texts: readonly string[]): void {
  const [visible, following] = [client.texts(), client.followingTexts()]
  const inOrder = (some: string[]) => texts.filter((text) => some.includes(text))
  if (!client.isAtEnd()) {
    expect(client.misleading()).toEqual([])
    expectQuotes(client)
  }
  expect(following).toEqual(inOrder(following))
  const further = visible.slice(following.length)
  expect(further).toEqual(inOrder(further))
  if (client.isAtEnd()) expect(inOrder(visible)).toEqual(texts)
}

/** Everything is shown, each post once, in order, to the end. */
async function seesAll(client: ClientAtHome, texts: readonly string[]): Promise<void> {
  await eventually(async () => {
    await client.refresh()
    expectHonest(client, texts)
    await client.scrollToEnd()
    expect(client.texts()).toEqual(texts)
    expect(client.misleading()).toEqual([])
    expectFaces(client)
    expectQuotes(client)
  })
  expectHonest(client, texts)
}

/** Every author has a name and a picture. */
function expectFaces(client: ClientAtHome): void {
  const handles = new Set(world.friends.map(({ handle }) => handle))
  for (const { post } of client.posts().filter(({ post }) => handles.has(post.author.handle))) {
    expect(post.author.displayName).toBe(post.author.handle)
    expect(post.author.avatar).toContain(post.author.did)
  }
}

function expectQuotes(client: ClientAtHome): void {
  for (const { post } of client.posts()) {
    const { text } = post.record as { text: string }
    if (text.endsWith(QUOTING)) expect(JSON.stringify(post.embed)).toContain(QUOTED)
  }
}

/**
 * Reads at each mark, like a person who looks again; the checks do not depend on time. A slow
 * machine reads later, and after the last mark waits until everything has arrived.
 */
async function readAtMarks({ account, texts, isEndSeen }: Marked, beganAt: number): Promise<void> {
  const client = clientAtHome(account)
  await client.signIn()
  let before: string[] = []
  for (const mark of MARKS_MS) {
    await sleep(Math.max(0, beganAt + mark - Date.now()))
    // Reads from then on do not change.
    const isOver = isColdStartOver(account)
    await client.refresh()
    await client.scrollPast(before)
    expectHonest(client, texts)
    expect(client.misleading()).toEqual([])
    if (texts.length > 0) await expectPosts(client, account)
    else expect(client.texts()).toEqual([])
    expect(client.texts()).toEqual(expect.arrayContaining(before))
    before = client.texts()
    if (!isOver) continue
    // Until then, a page waits for faces for a limited time.
    expectFaces(client)
    break
  }
  if (isEndSeen) await seesAll(client, texts)
  else await seesFirstScreen(client, texts)
}

function isColdStartOver({ did }: Account): boolean {
  return coldStartLine(did, 'the timeline is filled') !== undefined
}

function coldStartLine(did: string, stage: string): string | undefined {
  const lines = world.slipstream.log().split('\n')
  return lines.find((line) => line.includes(did) && line.includes(stage))
}

/** A page waits for the first posts, so it is empty only where a slow machine took longer to read any. */
async function expectPosts(client: ClientAtHome, { did }: Account): Promise<void> {
  if (client.texts().length > 0) return
  expect(client.isAtEnd()).toBe(false)
  const line = await eventually(() => {
    const found = coldStartLine(did, 'the latest hours are loaded')
    expect(found).toBeDefined()
    return found!
  })
  expect((JSON.parse(line) as { seconds: number }).seconds).toBeGreaterThan(LEAST_WAIT_S)
}

type Marked = { account: Account; texts: readonly string[]; isEndSeen: boolean }

async function seesFirstScreen(client: ClientAtHome, texts: readonly string[]): Promise<void> {
  await eventually(async () => {
    await client.refresh()
    expectHonest(client, texts)
    expect(client.texts().slice(0, SCREEN)).toEqual(texts.slice(0, SCREEN))
  })
}

const isOffered = (client: ClientAtHome) =>
  eventually(async () => expect(await client.lookForNew()).toBe(true))

test('an account without follows learns so, and sees the posts of the first account it follows', async () => {
  const { client, account } = await newcomer([])
  await client.signIn()
  await client.refresh()
  expect(client.texts()).toEqual([])
  expect(client.isAtEnd()).toBe(true)
  const friend = await world.person('friend')
  await follow(account, friend)
  await post(friend, 'something new')
  await isOffered(client)
  expect(client.texts()).toEqual(['something new'])
})

test('an account with one follow sees all of its posts, and is offered new ones', async () => {
  const [friend] = world.friends
  const { client, account } = await newcomer([friend!.did])
  await client.refresh()
  const theirs = world.texts.filter((text) => text.endsWith(' of friend 0'))
  expectHonest(client, theirs)
  await expectPosts(client, account)
  await seesAll(client, theirs)
  expect(await client.lookForNew()).toBe(false)
  await post(friend!, 'later, of friend 0')
  world.texts.unshift('later, of friend 0')
  await isOffered(client)
})

test('with 35 follows the newest come first, in the very first call, and every follow by the end', async () => {
  const { client, account } = await newcomer(didsOf(world.friends))
  await client.refresh()
  expectHonest(client, world.texts)
  await expectPosts(client, account)
  await seesAll(client, world.texts)
  expect(await client.lookForNew()).toBe(false)
  await post(world.friends[7]!, 'after the end')
  world.texts.unshift('after the end')
  await isOffered(client)
})

test.each(DELAYS_MS)('35 are not cut short %i ms after another call', async (delayMs) => {
  const { client, account } = await newcomer(didsOf(world.friends))
  await client.signIn()
  await sleep(delayMs)
  await client.refresh()
  expectHonest(client, world.texts)
  await expectPosts(client, account)
})

test('with 2,000 follows the end is never reported early', async () => {
  const { people, texts } = world.town
  const { client } = await newcomer(people)
  await client.refresh()
  expectHonest(client, texts)
  expect(client.isAtEnd()).toBe(false)
  await seesFirstScreen(client, texts)
})

test('simultaneous newcomers with 0, 1, 35 and 2,000 follows see ever more, and nothing untrue', async () => {
  const { friends, texts, town } = world
  const ofFirst = texts.filter((text) => text.endsWith(' of friend 0'))
  const marked: Marked[] = [
    { account: await personFollowing([]), texts: [], isEndSeen: true },
    { account: await personFollowing([friends[0]!.did]), texts: ofFirst, isEndSeen: true },
    { account: await personFollowing(didsOf(friends)), texts, isEndSeen: true },
    { account: await personFollowing(town.people), texts: town.texts, isEndSeen: false },
  ]
  await atRest(marked.at(-1)!.account)
  await startAnew()
  const beganAt = Date.now()
  await Promise.all(marked.map((marked) => readAtMarks(marked, beganAt)))
})
