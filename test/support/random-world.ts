// A random social network in which every case that views distinguish happens often: every kind of embed,
// replies and quotes several levels deep, deletions, gates, blocks of every kind, hidden accounts.

import type { AccountStatus } from '@slipstream/jetstream'
import { VIOLATES_POSTGATE, VIOLATES_THREADGATE } from '../../src/data/store/posts/post-flags.ts'
import type { Random } from './random.ts'
import { blob, cidOf, createWorld, type World } from './social-world.ts'

type Value = Record<string, unknown>

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const statuses: AccountStatus[] = ['deactivated', 'suspended', 'takendown', 'deleted']
/** As many as there are letters at most. */
const ACCOUNTS = 9

export function randomWorld(random: Random, steps: number, accounts = ACCOUNTS): World {
  const world = createWorld()
  for (let i = 0; i < accounts; i++) {
    const did = world.account(`account${LETTERS[i]}`, {
      handle: random.chance(0.15) ? undefined : `account${i}.test`,
      status: random.chance(0.1) ? random.pick(statuses) : undefined,
    })
    if (random.chance(0.8)) world.profile(did, randomProfile(random))
  }
  for (const did of world.accounts.keys()) putRecords(world, random, did)
  const founder = random.pick([...world.accounts.keys()])
  world.put(founder, 'app.bsky.feed.post', { text: 'the first' }, { rkey: 'first' })
  world.put(founder, 'app.bsky.graph.list', { name: 'x', ...randomList(random) }, { rkey: 'first' })
  for (let i = 0; i < steps; i++) step(world, random)
  for (const [uri, { collection }] of world.records) {
    const mayGo = ['app.bsky.feed.post', 'app.bsky.graph.list'].includes(collection)
    if (mayGo && random.chance(0.08)) world.remove(uri)
  }
  return world
}

/** An account's records other than posts, each under the key `self`. */
function putRecords(world: World, random: Random, did: string): void {
  const self = (collection: string, value: Value) =>
    random.chance(0.5) && world.put(did, collection, value, { rkey: 'self' })
  const generator = { did: 'did:web:feeds.test', displayName: 'a feed', avatar: blob('feed') }
  const list = `at://${did}/app.bsky.graph.list/first`
  const status = { status: 'app.bsky.actor.status#live', durationMinutes: 1 + random.below(400) }
  const external = { uri: 'https://live.test/', title: 'live', description: '' }
  self('app.bsky.feed.generator', { ...generator, description: 'of cats' })
  self('app.bsky.graph.starterpack', { name: 'start', list })
  self('app.bsky.labeler.service', { policies: { labelValues: ['rude'] }, labels: selfLabels })
  self('app.bsky.actor.status', {
    ...status,
    embed: { $type: 'app.bsky.embed.external', external },
  })
  self('chat.bsky.actor.declaration', { allowIncoming: random.pick(['all', 'none']) })
  const allowSubscriptions = random.pick(['followers', 'mutuals', 'none'])
  self('app.bsky.notification.declaration', { allowSubscriptions })
  self('com.germnetwork.declaration', {
    version: '1.1.0',
    currentKey: { $bytes: 'AAAA' },
    messageMe: { showButtonTo: 'everyone', messageMeUrl: 'https://germ.test/me' },
  })
  const subject = random.pick([...world.accounts.keys()])
  const { handle = 'other.test' } = world.accounts.get(subject)!
  const displayName = random.pick(['Ä', 'Name 🙂'])
  if (world.of('app.bsky.graph.verification').some((record) => record.value['subject'] === subject))
    return
  const verifier = verifierOf(world)
  world.put(verifier, 'app.bsky.graph.verification', { subject, handle, displayName })
}

/** The trusted verifier of random worlds. */
export function verifierOf(world: World): string {
  return [...world.accounts.keys()].find((did) => did.startsWith('did:plc:accounta')) ?? ''
}

/** Weights of the possible next acts; each is done by one account to some post, list or account. */
const actions: [weight: number, act: (scene: Scene) => unknown][] = [
  [25, ({ world, random, did }) => world.post(did, randomPost(world, random))],
  [25, reply],
  [8, ({ world, did, post }) => once(world, did, post, world.repost)],
  [8, ({ world, did, post }) => once(world, did, post, world.like)],
  [12, ({ world, did, other }) => once(world, did, other, world.follow)],
  [2, ({ world, did, other }) => once(world, did, other, world.block)],
  [2, ({ world, random, did, other }) => did !== other && world.mute(did, other, random.below(4))],
  [2, ({ world, did, list }) => world.muteList(did, list)],
  [3, ({ world, did, post }) => world.bookmark(did, post)],
  [3, likeFeed],
  [4, ({ world, random, did }) => world.list(did, randomList(random))],
  [3, ({ world, list, other }) => world.listItem(list, other)],
  [2, ({ world, did, list }) => once(world, did, list, world.listBlock)],
  [5, ({ world, random, post }) => world.threadgate(post, randomThreadgate(world, random))],
  [4, ({ world, random, post }) => world.postgate(post, randomPostgate(world, random))],
  [6, ({ world, random }) => world.remove(random.pick(removable(world)))],
]
const bag = actions.flatMap(([weight, act]) => Array.from({ length: weight }, () => act))

/** Everything but the founder's first post and list, so that one of each always exists. */
function removable(world: World): string[] {
  return [...world.records.keys()].filter((uri) => !uri.endsWith('/first'))
}

type Scene = {
  world: World
  random: Random
  did: string
  other: string
  post: string
  list: string
}

function step(world: World, random: Random): void {
  const dids = [...world.accounts.keys()]
  const [did, other] = [random.pick(dids), random.pick(dids)]
  const any = (collection: string) => random.pick(world.of(collection)).uri
  const [post, list] = [any('app.bsky.feed.post'), any('app.bsky.graph.list')]
  random.pick(bag)({ world, random, did, other, post, list })
}

/** The reference keeps only the first of several records from one account to one subject. */
function once(
  world: World,
  did: string,
  subject: string,
  put: (did: string, subject: string) => string,
): void {
  if (did === subject) return
  const uri = put(did, subject)
  const made = world.records.get(uri)!
  const same = world
    .of(made.collection)
    .filter((record) => record.did === did && subjectOf(record.value) === subject)
  if (same.length > 1) world.remove(uri)
}

function subjectOf({ subject }: Value): unknown {
  return typeof subject === 'object' ? (subject as { uri: string }).uri : subject
}

function likeFeed({ world, random, did }: Scene): void {
  const feeds = world.of('app.bsky.feed.generator')
  if (feeds.length > 0) once(world, did, random.pick(feeds).uri, world.like)
}

function reply({ world, random, did, post }: Scene): void {
  const above = world.records.get(post)!.value['reply'] as { root: { uri: string } } | undefined
  // Occasionally a reply names a root unrelated to its parent.
  const root = random.chance(0.9)
    ? (above?.root.uri ?? post)
    : random.pick(world.of('app.bsky.feed.post')).uri
  const uri = world.reply(did, { root, parent: post }, randomPost(world, random))
  if (random.chance(0.1)) world.flags.set(uri, VIOLATES_THREADGATE)
  else if (random.chance(0.05)) world.flags.set(uri, VIOLATES_POSTGATE)
}

function randomProfile(random: Random): Value {
  const some = (chance: number, value: Value) => (random.chance(chance) ? value : {})
  return {
    ...some(0.8, { displayName: random.pick(['', 'Ä', 'Name 🙂']) }),
    ...some(0.5, { description: random.pick(['', 'about me']) }),
    ...some(0.5, { pronouns: 'they' }),
    ...some(0.5, { website: random.pick(['https://me.test/', 'http://me.test/']) }),
    ...some(0.6, { avatar: blob('avatar') }),
    ...some(0.3, { banner: blob('banner') }),
    ...some(0.2, { labels: selfLabels }),
    ...some(0.2, { pinnedPost: { uri: 'at://did:plc:a/app.bsky.feed.post/3k', cid: cidOf(1) } }),
  }
}

const selfLabels = {
  $type: 'com.atproto.label.defs#selfLabels',
  values: [{ val: '!no-unauthenticated' }, { val: 'porn' }],
}

function randomList(random: Random): Value {
  return {
    purpose: random.chance(0.8) ? 'app.bsky.graph.defs#modlist' : 'app.bsky.graph.defs#curatelist',
    ...(random.chance(0.5) ? { avatar: blob('list'), description: 'a list of people' } : {}),
  }
}

function randomThreadgate(world: World, random: Random): Value {
  const rule = (): Value => {
    const name = random.pick(['mentionRule', 'followerRule', 'followingRule', 'listRule'])
    const $type = `app.bsky.feed.threadgate#${name}`
    const lists = world.of('app.bsky.graph.list')
    return name === 'listRule' ? { $type, list: random.pick(lists).uri } : { $type }
  }
  if (random.chance(0.2)) return {}
  return { allow: Array.from({ length: random.below(4) }, rule) }
}

function randomPostgate(world: World, random: Random): Value {
  const posts = world.of('app.bsky.feed.post').map(({ uri }) => uri)
  const detached = posts.filter(() => random.chance(0.3)).slice(-50)
  return {
    ...(random.chance(0.5) ? { detachedEmbeddingUris: detached } : {}),
    ...(random.chance(0.5)
      ? { embeddingRules: [{ $type: 'app.bsky.feed.postgate#disableRule' }] }
      : {}),
  }
}

function randomPost(world: World, random: Random): Value {
  const embed = random.chance(0.6) ? randomEmbed(world, random) : undefined
  const mentioned = random.pick([...world.accounts.keys()])
  const features = [{ $type: 'app.bsky.richtext.facet#mention', did: mentioned }]
  return {
    text: random.pick(['', 'a post', 'ein Beitrag 🙂']),
    ...(embed ? { embed } : {}),
    ...(random.chance(0.2) ? { labels: selfLabels } : {}),
    ...(random.chance(0.3) ? { facets: [{ index: { byteStart: 0, byteEnd: 1 }, features }] } : {}),
  }
}

function randomEmbed(world: World, random: Random): Value {
  const uris = [...world.records.values()]
    .filter(({ collection }) => ['app.bsky.feed.post', 'app.bsky.graph.list'].includes(collection))
    .map(({ uri }) => uri)
  const did = random.pick([...world.accounts.keys()])
  const elsewhere = ['feed.generator', 'graph.starterpack', 'labeler.service', 'feed.like']
  const other = `at://${did}/app.bsky.${random.pick(elsewhere)}/self`
  const uri = random.chance(0.3) ? other : random.pick(uris)
  const record = { $type: 'app.bsky.embed.record', record: world.ref(uri) }
  const roll = random.below(10)
  if (roll < 5) return record
  if (roll < 8) return randomMedia(random)
  return { $type: 'app.bsky.embed.recordWithMedia', record, media: randomMedia(random) }
}

function randomMedia(random: Random): Value {
  const ratio = random.chance(0.5) ? { aspectRatio: { width: 4, height: 3 } } : {}
  const kind = random.pick(['images', 'gallery', 'video', 'external'])
  const $type = `app.bsky.embed.${kind}`
  if (kind === 'images') {
    const image = () => ({ image: blob('image'), alt: 'alt', ...ratio })
    return { $type, images: Array.from({ length: 1 + random.below(4) }, image) }
  }
  if (kind === 'gallery') {
    const image = { $type: `${$type}#image`, image: blob('image'), alt: '' }
    const item = () => ({ ...image, aspectRatio: { width: 1, height: 2 } })
    return { $type, items: Array.from({ length: 1 + random.below(14) }, item) }
  }
  if (kind === 'video') {
    return { $type, video: blob('video', 'video/mp4'), ...ratio, presentation: 'gif' }
  }
  const thumb = random.chance(0.5) ? { thumb: blob('thumb') } : {}
  return { $type, external: { uri: 'https://page.test/', title: 't', description: '', ...thumb } }
}
