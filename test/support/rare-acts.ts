// Acts that are rare but visible in views: gates and their rules, lists that block, embeds of lists and of
// other accounts' records, pins, handles, records imported by hand. Applied at once.

import type { JsonObject } from '../../src/base/util/json-object.ts'
import { cardEmbed, DOCUMENT, documentRecord, PUBLICATION, publicationRecord } from './long-form.ts'
import type { Random } from './random.ts'
import { cidOf, didOf } from './records.ts'
import type { RecordId, World } from './world.ts'

/** The verifier that viewers trust. */
export const trustedVerifier = didOf('person-0')

/** Some acts of random accounts, on records that the world has sent so far. */
export function rareActs(world: World, random: Random, count: number): void {
  for (let i = 0; i < count; i++) rareAct(world, random)
}

type Act = () => unknown

/** The random accounts and records of one act. */
type Scene = {
  world: World
  random: Random
  did: string
  other: string
  /** A post by `did`. */
  own: RecordId | undefined
  post: RecordId | undefined
  list: RecordId | undefined
  /** URI of an account that hardly acts. */
  strange: string
  generator: RecordId | undefined
}

function rareAct(world: World, random: Random): void {
  const scene = drawScene(world, random)
  const acts = [
    ...gateActs(scene),
    ...listActs(scene),
    ...embedActs(scene),
    ...accountActs(scene),
    ...relationActs(scene),
    ...generatorActs(scene),
    ...cardActs(scene),
    ...soleRecordActs(scene),
    ...verificationActs(scene),
    () => random.chance(0.3) && comeAndGo(world, scene.did),
  ]
  random.pick(acts)()
}

function drawScene(world: World, random: Random): Scene {
  // Mostly the same few accounts, so that their acts interact.
  const somebody = () => world.account(`person-${random.below(random.chance(0.6) ? 3 : 9)}`)
  const [did, other] = [somebody(), somebody()]
  return {
    world,
    random,
    did,
    other,
    own: latest(world, random, 'app.bsky.feed.post', did),
    post: latest(world, random, 'app.bsky.feed.post'),
    list: latest(world, random, 'app.bsky.graph.list'),
    strange: `at://${someStranger(world, random)}`,
    generator: latest(world, random, 'app.bsky.feed.generator'),
  }
}

function gateActs(scene: Scene): Act[] {
  const { world, random, own, post, list } = scene
  const rule = (name: string) => ({ $type: `app.bsky.feed.threadgate#${name}` })
  const listRule = list && { ...rule('listRule'), list: list.uri }
  return [
    () => own && world.threadgate(own, random.pick([[], undefined, [rule('followingRule')]])),
    () => own && world.threadgate(own, [rule('mentionRule'), rule('followerRule')]),
    () => own && listRule && world.threadgate(own, [listRule]),
    () => own && post && world.threadgate(own, undefined, { hiddenReplies: [post.uri] }),
    deletion(scene, 'app.bsky.feed.threadgate'),
    () => own && world.postgate(own, { embeddingRules: [{ $type: NO_QUOTES }] }),
    () => own && post && world.postgate(own, { detachedEmbeddingUris: [post.uri] }),
    deletion(scene, 'app.bsky.feed.postgate'),
  ]
}

function listActs(scene: Scene): Act[] {
  const { world, random, did, other, list } = scene
  const purpose = () => random.pick([MODERATION, CURATION])
  return [
    () => world.list(did, `list ${random.below(100)}`, purpose()),
    () => list && world.listItem(authorOf(list), list, other),
    () => list && world.listBlock(did, list),
    deletion(scene, 'app.bsky.graph.listblock'),
    deletion(scene, 'app.bsky.graph.listitem'),
    () => random.chance(0.3) && list && world.delete(list),
    () => list && changePurpose(world, list, purpose()),
  ]
}

function embedActs({ world, random, did, post, list, strange }: Scene): Act[] {
  return [
    () => list && world.post(did, { embed: embed(list.uri, list.cid) }),
    () => world.post(did, { embed: embed(`${strange}/app.bsky.feed.generator/aaa`) }),
    () => world.post(did, { embed: embed(`${strange}/app.bsky.feed.post/3kabcdefghijk`) }),
    () => world.post(someStranger(world, random)),
    () => post && world.post(did, { embed: withPicture(embed(post.uri, post.cid)) }),
  ]
}

function accountActs({ world, random, did, own }: Scene): Act[] {
  return [
    () => own && world.profile(did, { displayName: 'pins', pinnedPost: own }),
    () => world.profile(did, { displayName: `name ${random.below(100)}` }),
    () => world.uid(did) && world.handle(did, `h${random.below(1000)}.test`),
  ]
}

/** Follows, blocks, also by lists, and likes. */
function relationActs(scene: Scene): Act[] {
  const { world, did, other, post, list, strange } = scene
  return [
    () => world.block(authorOf({ uri: strange, cid: '' }), did),
    deletion(scene, 'app.bsky.graph.block'),
    deletion(scene, 'app.bsky.graph.block'),
    () => list && world.listItem(authorOf(list), list, did),
    () => list && world.listBlock(other, list),
    () => world.follow(did, other),
    () => world.follow(did, other),
    deletion(scene, 'app.bsky.graph.follow', did),
    deletion(scene, 'app.bsky.graph.block'),
    () => post && world.like(did, post),
  ]
}

function generatorActs({ world, random, did, generator }: Scene): Act[] {
  const feed = (number: number) => {
    const record = { did: 'did:web:feeds.test', displayName: `feed ${number}` }
    world.create(did, 'app.bsky.feed.generator', record)
  }
  return [
    () => feed(random.below(100)),
    () => generator && world.post(did, { embed: embed(generator.uri, generator.cid) }),
    () => generator && world.like(did, generator),
    () => generator && world.delete(generator),
  ]
}

/** Posts with link cards, and the records that they name, which are stored if they come after the post. */
function cardActs({ world, random, did, other }: Scene): Act[] {
  const rkey = `3kaaaaaaaaaa${random.pick(['a', 'b'])}`
  const site = `at://${did}/${PUBLICATION}/self`
  const [article, publication] = [
    { did, collection: DOCUMENT, rkey, record: documentRecord(site) },
    { did, collection: PUBLICATION, rkey: 'self', record: publicationRecord() },
  ].map((item) => ({ ...item, operation: 'update' as const }))
  const refOf = (item: NonNullable<typeof article>) => ({
    uri: `at://${did}/${item.collection}/${item.rkey}`,
    cid: cidOf([did, item.rkey, { $type: item.collection, ...item.record }]),
  })
  const name = () => world.post(other, { embed: cardEmbed([refOf(article!), refOf(publication!)]) })
  return [
    name,
    () => {
      name()
      world.write(article!)
      world.write(publication!)
    },
    () => world.write(random.pick([article!, publication!])),
    () => world.delete(refOf(random.pick([article!, publication!]))),
  ]
}

/** Acts on collections with one record per account. */
function soleRecordActs(scene: Scene): Act[] {
  const { world, random, did } = scene
  const write = (collection: string, record: JsonObject) =>
    world.write({
      did,
      collection,
      rkey: 'self',
      operation: 'update',
      record: { ...record, createdAt: world.isoNow() },
    })
  return [
    () => write('chat.bsky.actor.declaration', { allowIncoming: random.pick(['all', 'none']) }),
    deletion(scene, 'chat.bsky.actor.declaration'),
    () => write('app.bsky.labeler.service', { policies: { labelValues: ['rude'] } }),
    deletion(scene, 'app.bsky.labeler.service'),
    () =>
      write('app.bsky.actor.status', { status: 'busy', durationMinutes: random.below(300) + 1 }),
    deletion(scene, 'app.bsky.actor.status'),
  ]
}

function verificationActs(scene: Scene): Act[] {
  const { world, random, did } = scene
  /** Verifies the account under a name and handle that may or may not be its current ones. */
  const verify = () => {
    const names = { handle: `h${random.below(3)}.test`, displayName: `name ${random.below(3)}` }
    world.create(world.account('person-0'), 'app.bsky.graph.verification', {
      subject: did,
      ...names,
    })
    world.profile(did, { displayName: `name ${random.below(3)}` })
    if (world.uid(did)) world.handle(did, `h${random.below(3)}.test`)
  }
  return [verify, verify, deletion(scene, 'app.bsky.graph.verification')]
}

/** Deletes one of the last records of the collection, by this account if given. */
function deletion({ world, random }: Scene, collection: string, did?: string): Act {
  return () => {
    const record = latest(world, random, collection, did)
    if (record) world.delete(record)
  }
}

function someStranger(world: World, random: Random): string {
  return world.account(`stranger-${random.below(5)}`)
}

function embed(uri: string, cid = cidOf(uri)) {
  return { $type: 'app.bsky.embed.record', record: { uri, cid } }
}

function comeAndGo(world: World, did: string): void {
  world.status(did, 'deleted')
  world.status(did)
}

const NO_QUOTES = 'app.bsky.feed.postgate#disableRule'
const MODERATION = 'app.bsky.graph.defs#modlist'
const CURATION = 'app.bsky.graph.defs#curatelist'

function withPicture(record: JsonObject): JsonObject {
  const external = { uri: 'https://example.com', title: 'a page', description: '' }
  const media = { $type: 'app.bsky.embed.external', external }
  return { $type: 'app.bsky.embed.recordWithMedia', record, media }
}

function changePurpose(world: World, list: RecordId, purpose: string): void {
  const rkey = list.uri.split('/').at(-1)!
  const record = { name: 'changed', purpose, createdAt: world.isoNow() }
  const [did, collection] = [authorOf(list), 'app.bsky.graph.list']
  world.write({ did, collection, record, rkey, operation: 'update' })
}

function authorOf({ uri }: RecordId): string {
  return uri.split('/')[2]!
}

/** One of the last records of a collection that were sent, by this account if given. */
function latest(
  { sent }: World,
  random: Random,
  collection: string,
  did?: string,
): RecordId | undefined {
  const found: RecordId[] = []
  for (let i = sent.length - 1; i >= 0 && found.length < 12; i--) {
    const event = sent[i]!
    if (event.kind !== 'commit' || event.operation === 'delete') continue
    if (event.collection !== collection || (did !== undefined && event.did !== did)) continue
    found.push({ uri: `at://${event.did}/${collection}/${event.rkey}`, cid: event.cid })
  }
  return found.length > 0 ? random.pick(found) : undefined
}
