// A network for moderation: accounts with labels on all that they made, accounts in each relation to Vera, and Ann,
// whom she follows and who quotes and reposts all of them. Everybody follows Vera, likes, answers, quotes and
// mentions her.

import { expect } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import type { LabelerDouble } from '../../support/labeler-double.ts'
import { createAsker } from '../conformance/ask.ts'
import { startWebLabeler } from '../conformance/web-labeler.ts'
import {
  type Account,
  block,
  create,
  follow,
  like,
  post,
  put,
  type Ref,
  repost,
  uploadImage,
} from '../support/account.ts'
import { people, type World } from '../support/world.ts'
import { createLabelling, definitions, labelValues, states } from './labels.ts'

/** Vera's relations to accounts of these names. */
const RELATIONS = [
  'followed',
  'muted',
  'followedmuted',
  'onmutelist',
  'blocked',
  'blocking',
  'mutedblocked',
  'onblocklist',
  'listblocking',
  'unrelated',
] as const
type Relation = (typeof RELATIONS)[number]

/** A word and a tag in some posts. */
export const WORD = 'rhubarb'
export const TAG = 'crumble'

/** What an account of the network made. */
type Made = { by: Account; posts: Ref[]; list: Ref; feed: Ref }

export type ModerationSeed = {
  vera: Account
  ann: Account
  judge: Account
  labelers: [LabelerDouble, LabelerDouble]
  root: Ref
  made: Made[]
  modlists: Ref[]
  quotes: Ref[]
  stop: () => Promise<void>
}

/** @param reference - its origin and its tables */
export async function sowModeration(
  world: World,
  reference: { origin: string; postgresUrl: string },
): Promise<ModerationSeed> {
  const labelers: [LabelerDouble, LabelerDouble] = [
    await startWebLabeler(),
    await startWebLabeler(),
  ]
  const [vera, ann, judge] = await people(world, 'vera', 'ann', 'judge')
  const labelled = await oneByOne(labelValues, (_, i) => world.person(`labelled${i}`))
  const related = await oneByOne(RELATIONS, (name) => world.person(name))
  const asVera = createAsker(world, vera)
  const headers = { 'atproto-accept-labelers': labelers.map(({ did }) => did).join(', ') }
  await asVera.decoded('app.bsky.feed.getTimeline', { params: {}, headers })
  await follow(vera, ann)
  const policies = { labelValues, labelValueDefinitions: definitions }
  await put(judge, 'app.bsky.labeler.service', 'self', { policies })
  const root = await post(vera, 'what everybody answers')
  await arrives(world, reference.origin, vera, root)
  const made: Made[] = []
  for (const [i, by] of [...labelled, ...related].entries()) {
    made.push(await write(by, i, { vera, root, judge }))
  }
  const quotes = await echo(ann, made)
  const cast = Object.fromEntries(RELATIONS.map((name, i) => [name, related[i]!]))
  const modlists = await relate(world, reference.origin, { vera, cast: cast as Cast })
  const labelling = createLabelling(labelers)
  for (const [i, item] of made.entries()) labelAll(labelling, item, i)
  await labelling.send(reference.postgresUrl)
  await arrives(world, reference.origin, vera, await post(ann, 'the last of all'))
  return {
    vera,
    ann,
    judge,
    labelers,
    root,
    made,
    modlists,
    quotes,
    stop: async () => void (await Promise.all(labelers.map((labeler) => labeler.close()))),
  }
}

/** So many at once would take a busy directory longer than the PDS waits for it. */
async function oneByOne<T, R>(
  all: readonly T[],
  make: (item: T, i: number) => Promise<R>,
): Promise<R[]> {
  const made: R[] = []
  for (const [i, item] of all.entries()) made.push(await make(item, i))
  return made
}

/** Until both answer with the post. */
async function arrives(world: World, reference: string, as: Account, { uri }: Ref): Promise<void> {
  for (const origin of [world.slipstream.origin, reference]) {
    const asker = createAsker(world, as, origin)
    await eventually(async () => {
      const { body } = await asker.decoded('app.bsky.feed.getPosts', { params: { uris: [uri] } })
      expect(body['posts']).toHaveLength(1)
    })
  }
}

function selfLabels(...values: string[]) {
  const labels = values.map((val) => ({ val }))
  return { labels: { $type: 'com.atproto.label.defs#selfLabels', values: labels } }
}

async function write(
  by: Account,
  i: number,
  { vera, root, judge }: { vera: Account; root: Ref; judge: Account },
): Promise<Made> {
  const ownLabels = [['!no-unauthenticated'], ['porn', '!hide'], [], ['graphic-media', 'rude']]
  const own = ownLabels[i % ownLabels.length]!
  await put(by, 'app.bsky.actor.profile', 'self', {
    displayName: `number ${i}`,
    description: WORD,
    ...(own.length > 0 && selfLabels(...own)),
  })
  await put(by, 'app.bsky.actor.status', 'self', {
    status: 'app.bsky.actor.status#live',
    durationMinutes: 240,
    embed: {
      $type: 'app.bsky.embed.external',
      external: { uri: 'https://www.twitch.tv/alice', title: WORD, description: 'live' },
    },
  })
  await follow(by, vera)
  await like(by, root)
  const image = { image: await uploadImage(by), alt: `${WORD} in a picture` }
  const images = { $type: 'app.bsky.embed.images', images: [image] }
  const tag = { $type: 'app.bsky.richtext.facet#tag', tag: TAG }
  const mention = { $type: 'app.bsky.richtext.facet#mention', did: vera.did }
  const facet = (feature: object) => [{ index: { byteStart: 0, byteEnd: 3 }, features: [feature] }]
  const link = { uri: 'https://example.com/', title: WORD, description: 'of a link' }
  const posts = [
    await post(by, `plain ${i}`, { embed: images }),
    await post(by, `#${TAG} ${WORD}`, { facets: facet(tag), langs: ['en'] }),
    await post(by, 'by itself', selfLabels(labelValues[i % labelValues.length]!, 'sexual')),
    await post(by, 'linked', { embed: { $type: 'app.bsky.embed.external', external: link } }),
    await post(by, 'an answer', { reply: { root, parent: root } }),
    await post(by, 'a quote', { embed: { $type: 'app.bsky.embed.record', record: root } }),
    await post(by, 'you!', { facets: facet(mention) }),
  ]
  const about = { name: `list ${i}`, purpose: 'app.bsky.graph.defs#curatelist' }
  const list = await create(by, 'app.bsky.graph.list', about)
  const served = { did: judge.did, displayName: `feed ${i}`, ...selfLabels('!warn') }
  const feed = await create(by, 'app.bsky.feed.generator', served)
  return { by, posts, list, feed }
}

/** Ann quotes a post of everybody, alone and beside a picture, and reposts it. */
async function echo(ann: Account, made: readonly Made[]): Promise<Ref[]> {
  const image = { image: await uploadImage(ann), alt: 'a dot' }
  const media = { $type: 'app.bsky.embed.images', images: [image] }
  const quotes: Ref[] = []
  for (const [i, { posts }] of made.entries()) {
    const record = { $type: 'app.bsky.embed.record', record: posts[i % 4]! }
    const both = { $type: 'app.bsky.embed.recordWithMedia', record, media }
    quotes.push(await post(ann, `quoting ${i}`, { embed: i % 2 === 0 ? record : both }))
    await repost(ann, posts[(i + 1) % 4]!)
  }
  return quotes
}

type Cast = Record<Relation, Account>

/** @returns the lists with which Vera mutes and blocks. */
async function relate(
  world: World,
  reference: string,
  { vera, cast }: { vera: Account; cast: Cast },
): Promise<Ref[]> {
  const listOf = async (by: Account, subject: Account, name: string) => {
    const about = { name, purpose: 'app.bsky.graph.defs#modlist' }
    const list = await create(by, 'app.bsky.graph.list', about)
    await create(by, 'app.bsky.graph.listitem', { list: list.uri, subject: subject.did })
    return list
  }
  await follow(vera, cast.followed)
  await follow(vera, cast.followedmuted)
  await block(vera, cast.blocked)
  await block(vera, cast.mutedblocked)
  await block(cast.blocking, vera)
  const muting = await listOf(vera, cast.onmutelist, 'bores')
  const blocking = await listOf(vera, cast.onblocklist, 'brutes')
  const against = await listOf(cast.unrelated, vera, 'veras')
  await create(vera, 'app.bsky.graph.listblock', { subject: blocking.uri })
  await create(cast.listblocking, 'app.bsky.graph.listblock', { subject: against.uri })
  // Of the reference, which hears of mutes through our bsync.
  const { decoded } = createAsker(world, vera, reference)
  const call = (nsid: string, input: object) => eventually(() => decoded(nsid, { input }))
  for (const { did } of [cast.muted, cast.followedmuted, cast.mutedblocked]) {
    await call('app.bsky.graph.muteActor', { actor: did })
  }
  await call('app.bsky.graph.muteActorList', { list: muting.uri })
  return [muting, blocking]
}

/** Each value is somewhere on each kind of subject, and each state of a label, too. */
function labelAll(
  { add }: ReturnType<typeof createLabelling>,
  { by, posts, list, feed }: Made,
  i: number,
): void {
  const value = (offset: number) => labelValues[(i + offset) % labelValues.length]!
  const state = (offset: number) => states[(i + offset) % states.length]!
  add(by.did, value(0), state(0))
  add(`at://${by.did}/app.bsky.actor.profile/self`, value(5), state(1))
  add(`at://${by.did}/app.bsky.actor.status/self`, value(2))
  add(posts[0]!, value(9))
  add(posts[1]!, value(12), state(2))
  add(posts[2]!, value(14), state(3))
  add(posts[3]!, value(4))
  add(posts[4]!, value(7))
  add(posts[5]!, value(10))
  add(list, value(3), state(4))
  add(feed, value(6), state(0))
}
