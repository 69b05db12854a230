// A small network with everything that methods can return: all kinds of posts and records; accounts that
// follow, like, repost, quote and reply; and accounts that one of them, Vera, blocks, is blocked by, mutes,
// or sees labelled, deleted or restricted to members.

import { expect } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import type { LabelerDouble } from '../../support/labeler-double.ts'
import {
  type Account,
  block,
  create,
  follow,
  like,
  post,
  put,
  type Ref,
  reply,
  repost,
  uploadImage,
} from '../support/account.ts'
import { type FeedGenerator, startFeedGenerator } from '../support/feed-generator.ts'
import { profile, texts, timeline } from '../support/reading.ts'
import { people, type World } from '../support/world.ts'
import { type Asker, createAsker } from './ask.ts'
import { startWebLabeler } from './web-labeler.ts'

export const NAMES = ['vera', 'ann', 'bo', 'cat', 'dan', 'eve', 'fay', 'gil', 'hal', 'ivy'] as const
type Name = (typeof NAMES)[number]
export type Cast = Record<Name, Account>

export type Seed = Cast & {
  labeler: LabelerDouble
  generator: FeedGenerator
  root: Ref
  quoted: Ref
  veras: Ref[]
  labelled: Ref
  takenDown: Ref
  listA: Ref
  listB: Ref
  modlistA: Ref
  modlistB: Ref
  feeds: Ref[]
  packs: Ref[]
  labelerRecord: Ref
  stop: () => Promise<void>
}

export const WORD = 'confluence'

/**
 * @param privately - origins of AppViews: the first receives the state that is in no repository and
 * the others learn of it from there, one item at a time; default: ours
 */
export async function sow(world: World, privately?: string[]): Promise<Seed> {
  const labeler = await startWebLabeler()
  const generator = await startFeedGenerator()
  const accounts = await people(world, ...NAMES)
  const cast = Object.fromEntries(NAMES.map((name, i) => [name, accounts[i]!])) as Cast
  await becomeMembers(cast)
  await introduce(cast)
  const records = await writeRecords(cast, generator)
  const askers = (privately ?? [undefined]).map((origin) => createAsker(world, cast.vera, origin))
  const posts = await writePosts(cast, askers)
  await storePrivately(askers, cast, { ...records, ...posts })
  generator.gives([posts.root, posts.quoted, ...posts.veras])
  await part(world, cast)
  const seed = { ...cast, labeler, generator, ...records, ...posts }
  await label(world, seed)
  return {
    ...seed,
    stop: async () => {
      await Promise.all([labeler.close(), generator.stop()])
    },
  }
}

/** Creates the follows first, which make accounts known, so that all later records are kept. */
async function becomeMembers(cast: Cast): Promise<void> {
  const { vera, ann, bo, cat, gil, hal } = cast
  await timeline(vera)
  await timeline(ann)
  for (const other of [ann, bo, cat, gil, hal]) await follow(vera, other)
  await eventually(async () => {
    expect((await profile(vera, hal)).viewer?.following).toBeDefined()
  })
}

async function introduce(cast: Cast): Promise<void> {
  const { vera, ann, bo, cat, dan, eve, fay, gil, hal, ivy } = cast
  const names = Object.entries(cast) as [Name, Account][]
  for (const [name, account] of names) {
    const displayName = `${name} of ${WORD}`
    const avatar = name === 'ann' ? await uploadImage(ann) : undefined
    const forMembers = name === 'hal' && selfLabels('!no-unauthenticated')
    const fields = { displayName, description: `${name} is here`, avatar, ...forMembers }
    await put(account, 'app.bsky.actor.profile', 'self', fields)
  }
  for (const other of [vera, bo, cat, dan, eve, fay, gil, hal, ivy]) await follow(other, ann)
  for (const other of [vera, bo, gil, ivy]) await follow(ann, other)
  for (const other of [ann, bo, ivy]) if (other !== ann) await follow(other, vera)
  await follow(bo, gil)
  await follow(bo, ivy)
}

async function writeRecords({ vera, ann, bo, cat, eve, gil, hal }: Cast, generator: FeedGenerator) {
  const list = (by: Account, name: string, purpose: string) =>
    create(by, 'app.bsky.graph.list', { name, purpose: `app.bsky.graph.defs#${purpose}` })
  const listA = await list(ann, `${WORD} list one`, 'curatelist')
  const listB = await list(ann, `${WORD} list two`, 'curatelist')
  const modlistA = await list(ann, `${WORD} bores`, 'modlist')
  const modlistB = await list(ann, `${WORD} boors`, 'modlist')
  const modlistC = await list(ann, `${WORD} brutes`, 'modlist')
  const ownList = await list(vera, 'my own', 'curatelist')
  const ownMods = await list(vera, 'my bores', 'modlist')
  const reference = await list(ann, `${WORD} people`, 'referencelist')
  const veraReference = await list(vera, 'my people', 'referencelist')
  const on: [Account, Ref, Account[]][] = [
    [ann, listA, [bo, gil, hal]],
    [ann, listB, [bo]],
    [ann, modlistA, [cat]],
    [ann, modlistB, [eve]],
    [ann, modlistC, [eve]],
    [vera, ownList, [bo]],
    [vera, ownMods, [cat]],
    [ann, reference, [bo, gil, hal]],
    [vera, veraReference, [bo, gil]],
  ]
  for (const [by, { uri }, subjects] of on) {
    for (const { did } of subjects) {
      await create(by, 'app.bsky.graph.listitem', { list: uri, subject: did })
    }
  }
  for (const { uri } of [modlistB, modlistC]) {
    await create(vera, 'app.bsky.graph.listblock', { subject: uri })
  }
  const feeds = await Promise.all(
    ['one', 'two', 'three'].map((name) => {
      const record = { did: generator.did, displayName: `${WORD} feed ${name}` }
      return create(ann, 'app.bsky.feed.generator', record, { rkey: name })
    }),
  )
  const packs: Ref[] = []
  for (const name of ['first', 'second', 'third']) {
    const fields = { name: `${WORD} ${name}`, list: reference.uri, feeds: [{ uri: feeds[0]!.uri }] }
    packs.push(await create(ann, 'app.bsky.graph.starterpack', fields))
  }
  const own = { name: 'my pack', list: veraReference.uri }
  await create(vera, 'app.bsky.graph.starterpack', own)
  const policies = { labelValues: ['spam'] }
  const labelerRecord = await put(gil, 'app.bsky.labeler.service', 'self', { policies })
  for (const feed of feeds) await like(bo, feed)
  await like(bo, packs[0]!)
  return { listA, listB, modlistA, modlistB, feeds, packs, labelerRecord }
}

/**
 * What others reply to is awaited: the reference's own indexer, which processes accounts beside each
 * other, notifies no one of a reply that it processes before the post.
 */
async function writePosts(
  { vera, ann, bo, cat, dan, eve, fay, gil, hal, ivy }: Cast,
  askers: Asker[],
) {
  const arrive = (...refs: Ref[]) =>
    eventually(async () => {
      const params = { uris: refs.map(({ uri }) => uri) }
      for (const { decoded } of askers) {
        const { body } = await decoded('app.bsky.feed.getPosts', { params })
        expect(body['posts']).toHaveLength(refs.length)
      }
    })
  const tag = { $type: 'app.bsky.richtext.facet#tag', tag: WORD }
  const facets = [{ index: { byteStart: 0, byteEnd: WORD.length + 1 }, features: [tag] }]
  const image = {
    image: await uploadImage(ann),
    alt: 'a dot',
    aspectRatio: { width: 1, height: 1 },
  }
  const images = { $type: 'app.bsky.embed.images', images: [image] }
  const root = await post(ann, `#${WORD} root`, { facets, langs: ['en'], embed: images })
  const quoted = await post(ann, `#${WORD} quoted`, { facets })
  await arrive(root)
  await reply(ann, root, root, `${WORD} goes on`)
  const answer = await reply(bo, root, root, `${WORD} answer`)
  await arrive(answer)
  await reply(gil, root, answer, `${WORD} deeper`)
  for (const other of [cat, dan, eve, fay, hal, ivy]) await reply(other, root, root, `${WORD} too`)
  const embedOf = (record: Ref) => ({ $type: 'app.bsky.embed.record', record })
  for (const other of [bo, gil, hal, cat, dan, eve, fay]) {
    await post(other, `#${WORD} quoting`, { facets, embed: embedOf(quoted) })
  }
  const withMedia = {
    $type: 'app.bsky.embed.recordWithMedia',
    record: embedOf(quoted),
    media: images,
  }
  await post(ann, `${WORD} with media`, { embed: withMedia })
  const external = { uri: 'https://example.com/', title: 'a page', description: 'of the web' }
  await post(bo, `${WORD} link`, { embed: { $type: 'app.bsky.embed.external', external } })
  const labelled = await post(gil, `#${WORD} labelled`, { facets, ...selfLabels('graphic-media') })
  const takenDown = await post(gil, `#${WORD} taken down`, { facets })
  const veras = [await post(vera, `#${WORD} mine`, { facets }), await post(vera, 'my other one')]
  await arrive(...veras)
  for (const other of [bo, cat, dan, eve, fay, gil, hal, ivy, vera]) await like(other, root)
  for (const other of [vera, bo]) await like(other, quoted)
  await like(vera, labelled)
  for (const other of [bo, gil, hal, dan, ann]) await repost(other, root)
  for (const other of [ann, bo, gil, cat, eve]) {
    await like(other, veras[0]!)
    await reply(other, veras[0]!, veras[0]!, 'well said')
  }
  await repost(ann, veras[0]!)
  await put(vera, 'app.bsky.actor.profile', 'self', {
    displayName: `vera of ${WORD}`,
    pinnedPost: veras[1],
  })
  return { root, quoted, labelled, takenDown, veras }
}

/**
 * The state that Vera keeps with the AppView and the cases read back. The reference's own dataplane
 * dates each item by the millisecond in which it reads it, and does not order items of the same
 * millisecond.
 */
async function storePrivately(
  askers: Asker[],
  { ann, bo, cat }: Cast,
  refs: { root: Ref; quoted: Ref; labelled: Ref; modlistA: Ref; modlistB: Ref },
): Promise<void> {
  const call = (nsid: string, input: unknown) =>
    eventually(() => askers[0]!.decoded(nsid, { input }))
  const visible = (nsid: string, count: number) =>
    eventually(async () => {
      const answers = await Promise.all(askers.map((asker) => asker.decoded(nsid, { params: {} })))
      for (const { body } of answers) {
        expect(Object.values(body).find((value) => Array.isArray(value))).toHaveLength(count)
      }
    })
  for (const [i, { uri, cid }] of [refs.root, refs.quoted, refs.labelled].entries()) {
    await call('app.bsky.bookmark.createBookmark', { uri, cid })
    await visible('app.bsky.bookmark.getBookmarks', i + 1)
  }
  for (const [i, text] of ['one', 'two', 'three'].entries()) {
    await call('app.bsky.draft.createDraft', { draft: { posts: [{ text }] } })
    await visible('app.bsky.draft.getDrafts', i + 1)
  }
  await call('app.bsky.graph.muteActor', { actor: cat.did })
  for (const [i, list] of [refs.modlistA.uri, refs.modlistB.uri].entries()) {
    await call('app.bsky.graph.muteActorList', { list })
    await visible('app.bsky.graph.getListMutes', i + 1)
  }
  for (const [i, { did }] of [ann, bo].entries()) {
    await call('app.bsky.notification.putActivitySubscription', {
      subject: did,
      activitySubscription: { post: true, reply: false },
    })
    await visible('app.bsky.notification.listActivitySubscriptions', i + 1)
  }
}

/** Creates blocks and deletes an account; then waits until everything is indexed. */
async function part(world: World, { vera, ann, dan, eve, fay, ivy }: Cast): Promise<void> {
  await block(vera, eve)
  await block(dan, vera)
  await block(vera, ivy)
  await world.network.deleteAccount(fay.did)
  await post(ann, 'the last of all')
  await eventually(async () => expect(texts(await timeline(vera))).toContain('the last of all'))
  const { outcome } = createAsker(world, undefined)
  await eventually(async () => {
    const { status } = await outcome('app.bsky.actor.getProfile', { params: { actor: fay.did } })
    expect(status).toBe(400)
  })
}

/** Labels Gil and two of his posts, and waits until the labels arrive. */
async function label(
  world: World,
  {
    vera,
    gil,
    labeler,
    labelled,
    takenDown,
  }: Cast & Pick<Seed, 'labeler' | 'labelled' | 'takenDown'>,
): Promise<void> {
  const { decoded } = createAsker(world, vera)
  const headers = { 'atproto-accept-labelers': labeler.did }
  const ask = () =>
    decoded('app.bsky.feed.getPosts', {
      params: { uris: [labelled.uri, takenDown.uri] },
      headers: { 'atproto-accept-labelers': `${labeler.did};redact` },
    })
  await decoded('app.bsky.actor.getProfile', { params: { actor: gil.did }, headers })
  await eventually(async () => expect(labeler.connections.length).toBeGreaterThan(0))
  await labeler.say({ uri: labelled.uri, val: 'spam' })
  await labeler.say({ uri: gil.did, val: 'rude' })
  await labeler.say({ uri: takenDown.uri, val: '!takedown' })
  await eventually(async () => {
    const { posts } = (await ask()).body as { posts: { labels?: { val: string }[] }[] }
    expect(posts).toHaveLength(1)
    expect(posts[0]?.labels?.map(({ val }) => val)).toContain('spam')
  })
}

function selfLabels(val: string) {
  return { labels: { $type: 'com.atproto.label.defs#selfLabels', values: [{ val }] } }
}
