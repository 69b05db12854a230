// Acts that are rare but visible in views: gates and their rules, lists that block, embeds of lists and of
// other accounts' records, pins, handles, records imported by hand. Applied at once.

import type { JsonObject } from '../../src/base/event.ts'
import type { Random } from './random.ts'
import { cidOf, didOf } from './records.ts'
import type { RecordId, World } from './world.ts'

/** The verifier that viewers trust. */
export const trustedVerifier = didOf('person-0')

/** Some acts of random accounts, on records that the world has sent so far. */
export function rareActs(world: World, random: Random, count: number): void {
  for (let i = 0; i < count; i++) rareAct(world, random)
}

function rareAct(world: World, random: Random): void {
  // Mostly the same few accounts, so that their acts interact.
  const somebody = () => world.account(`person-${random.below(random.chance(0.6) ? 3 : 9)}`)
  const [did, other] = [somebody(), somebody()]
  const own = latest(world, random, 'app.bsky.feed.post', did)
  const post = latest(world, random, 'app.bsky.feed.post')
  const list = latest(world, random, 'app.bsky.graph.list')
  const strange = `at://${world.account(`stranger-${random.below(5)}`)}`
  const gone = (record: RecordId | undefined) => record && world.delete(record)
  const embed = (uri: string, cid = cidOf(uri)) => ({
    $type: 'app.bsky.embed.record',
    record: { uri, cid },
  })
  const listRule = list && { $type: 'app.bsky.feed.threadgate#listRule', list: list.uri }
  const rule = (name: string) => ({ $type: `app.bsky.feed.threadgate#${name}` })

  const generator = latest(world, random, 'app.bsky.feed.generator')
  const single = (collection: string, record: JsonObject) =>
    world.write({
      ...{ did, collection, rkey: 'self', operation: 'update' },
      record: { ...record, createdAt: world.isoNow() },
    })
  const feed = (number: number) => {
    const record = { did: 'did:web:feeds.test', displayName: `feed ${number}` }
    world.create(did, 'app.bsky.feed.generator', record)
  }
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

  const acts: (() => unknown)[] = [
    () => own && world.threadgate(own, random.pick([[], undefined, [rule('followingRule')]])),
    () => own && world.threadgate(own, [rule('mentionRule'), rule('followerRule')]),
    () => own && listRule && world.threadgate(own, [listRule]),
    () => own && post && world.threadgate(own, undefined, { hiddenReplies: [post.uri] }),
    () => gone(latest(world, random, 'app.bsky.feed.threadgate')),
    () => own && world.postgate(own, { embeddingRules: [{ $type: NO_QUOTES }] }),
    () => own && post && world.postgate(own, { detachedEmbeddingUris: [post.uri] }),
    () => gone(latest(world, random, 'app.bsky.feed.postgate')),
    () => world.list(did, `list ${random.below(100)}`, random.pick([MODERATION, CURATION])),
    () => list && world.listItem(authorOf(list), list, other),
    () => list && world.listBlock(did, list),
    () => gone(latest(world, random, 'app.bsky.graph.listblock')),
    () => gone(latest(world, random, 'app.bsky.graph.listitem')),
    () => random.chance(0.3) && gone(list),
    () => list && changePurpose(world, list, random.pick([MODERATION, CURATION])),
    () => list && world.post(did, { embed: embed(list.uri, list.cid) }),
    () => world.post(did, { embed: embed(`${strange}/app.bsky.feed.generator/aaa`) }),
    () => world.post(did, { embed: embed(`${strange}/app.bsky.feed.post/3kabcdefghijk`) }),
    () => world.post(world.account(`stranger-${random.below(5)}`)),
    () => post && world.post(did, { embed: withPicture(embed(post.uri, post.cid)) }),
    () => own && world.profile(did, { displayName: 'pins', pinnedPost: own }),
    () => world.profile(did, { displayName: `name ${random.below(100)}` }),
    () => world.uid(did) && world.handle(did, `h${random.below(1000)}.test`),
    () => world.block(authorOf({ uri: strange, cid: '' }), did),
    () => gone(latest(world, random, 'app.bsky.graph.block')),
    () => gone(latest(world, random, 'app.bsky.graph.block')),
    () => list && world.listItem(authorOf(list), list, did),
    () => list && world.listBlock(other, list),
    () => world.follow(did, other),
    () => world.follow(did, other),
    () => gone(latest(world, random, 'app.bsky.graph.follow', did)),
    () => gone(latest(world, random, 'app.bsky.graph.block')),
    () => post && world.like(did, post),
    () => feed(random.below(100)),
    () => generator && world.post(did, { embed: embed(generator.uri, generator.cid) }),
    () => generator && world.like(did, generator),
    () => gone(generator),
    () => single('chat.bsky.actor.declaration', { allowIncoming: random.pick(['all', 'none']) }),
    () => gone(latest(world, random, 'chat.bsky.actor.declaration')),
    () => single('app.bsky.labeler.service', { policies: { labelValues: ['rude'] } }),
    () => gone(latest(world, random, 'app.bsky.labeler.service')),
    () =>
      single('app.bsky.actor.status', { status: 'busy', durationMinutes: random.below(300) + 1 }),
    () => gone(latest(world, random, 'app.bsky.actor.status')),
    () => verify(),
    () => verify(),
    () => gone(latest(world, random, 'app.bsky.graph.verification')),
    () => random.chance(0.3) && comeAndGo(world, did),
  ]
  random.pick(acts)()
}

function comeAndGo(world: World, did: string): void {
  world.status(did, 'deleted')
  world.status(did)
}

const NO_QUOTES = 'app.bsky.feed.postgate#disableRule'
const MODERATION = 'app.bsky.graph.defs#modlist'
const CURATION = 'app.bsky.graph.defs#curatelist'

function withPicture(record: object) {
  const external = { uri: 'https://example.com', title: 'a page', description: '' }
  const media = { $type: 'app.bsky.embed.external', external }
  return { $type: 'app.bsky.embed.recordWithMedia', record, media } as never
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
