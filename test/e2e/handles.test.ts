// Handles that change hands on a real PDS and directory: who has a name now has it in every answer, in any case, and who
// only claims it is shown without.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { type Asker, createAsker } from './conformance/ask.ts'
import { type Account, follow, post, type Ref } from './support/account.ts'
import { people, startWorld, type World } from './support/world.ts'

const INVALID = 'handle.invalid'

let world: World
let vera: Asker
let accounts: Account[]
let posts: Ref[]

beforeAll(async () => {
  world = (await startWorld('double', async () => undefined)).world
  const [reader, ...others] = await people(world, 'vera', 'ann', 'bob', 'carl', 'dora')
  accounts = others
  vera = createAsker(world, reader)
  for (const account of others) await follow(reader, account)
  posts = []
  for (const account of others) posts.push(await post(account, 'hello'))
  await shown()
})

afterAll(() => world?.stop())

const ask = async (nsid: string, params: Record<string, unknown>) =>
  (await vera.answer(nsid, { params })).body

const rename = (account: Account, handle: string) =>
  account.agent.com.atproto.identity.updateHandle({ handle })

/** The directory names another handle, and the PDS says that something changed. */
async function claim({ did }: Account, handle: string): Promise<void> {
  await world.network.move(did, { alsoKnownAs: [`at://${handle}`] })
  await world.network.rotateKey(did, true)
}

/** All have their handles in timelines and profiles, but for these. */
async function shown(changed: Record<string, string> = {}): Promise<void> {
  const handles = accounts.map(({ did, handle }) => changed[did] ?? handle)
  await eventually(async () => {
    const { feed } = (await ask('app.bsky.feed.getTimeline', {})) as {
      feed: { post: { author: { did: string; handle: string } } }[]
    }
    const byDid = new Map(feed.map(({ post: { author } }) => [author.did, author.handle]))
    expect(accounts.map(({ did }) => byDid.get(did))).toEqual(handles)
    const dids = accounts.map(({ did }) => did)
    const { profiles } = (await ask('app.bsky.actor.getProfiles', { actors: dids })) as {
      profiles: { handle: string }[]
    }
    expect(profiles.map(({ handle }) => handle)).toEqual(handles)
  })
}

/** Whoever has the name, by every way that takes one, in several cases. */
async function owns(handle: string, i: number): Promise<void> {
  const { did } = accounts[i]!
  const key = posts[i]!.uri.split('/').at(-1)
  for (const name of [handle, handle.toUpperCase(), handle[0]!.toUpperCase() + handle.slice(1)]) {
    expect(await ask('app.bsky.actor.getProfile', { actor: name })).toMatchObject({ did })
    expect(await ask('com.atproto.identity.resolveHandle', { handle: name })).toEqual({ did })
    const feed = await ask('app.bsky.feed.getAuthorFeed', { actor: name })
    expect(feed).toMatchObject({ feed: [{ post: { uri: posts[i]!.uri } }] })
    const found = await ask('app.bsky.feed.getPosts', {
      uris: [`at://${name}/app.bsky.feed.post/${key}`],
    })
    expect(found).toMatchObject({ posts: [{ uri: posts[i]!.uri }] })
  }
}

test('an account takes the handle that another gave up', async () => {
  const [ann, bob] = accounts as [Account, Account]
  await owns(bob.handle, 1)
  await rename(bob, 'bobby.test')
  await rename(ann, bob.handle)
  await shown({ [ann.did]: bob.handle, [bob.did]: 'bobby.test' })
  await owns(bob.handle, 0)
  await owns('bobby.test', 1)
  const { status } = await vera.outcome('app.bsky.actor.getProfile', {
    params: { actor: ann.handle },
  })
  expect(status).toBe(400)
})

test('two exchange their handles', async () => {
  const [ann, bob] = accounts as [Account, Account]
  await rename(ann, 'between.test')
  await rename(bob, bob.handle)
  await rename(ann, ann.handle)
  await shown()
  await owns(ann.handle, 0)
  await owns(bob.handle, 1)
})

test('of two that claim one handle, one has it, and the other again its own once it says so', async () => {
  const [ann, , carl] = accounts as [Account, Account, Account]
  await claim(carl, ann.handle)
  await shown({ [carl.did]: INVALID })
  await owns(ann.handle, 0)
  await claim(carl, carl.handle)
  await shown()
  await owns(carl.handle, 2)
})

test('a handle that leads nowhere is not shown; in capitals in the document, it is the same', async () => {
  const dora = accounts[3]!
  await claim(dora, 'nowhere.test')
  await shown({ [dora.did]: INVALID })
  await claim(dora, dora.handle.toUpperCase())
  await shown()
  await owns(dora.handle, 3)
})
