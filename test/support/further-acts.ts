// Acts that random histories lack: gates, lists of all kinds, private state, identities, labels, fetched
// records. Applied at once, to the accounts of such a history.

import { packRkey } from '../../src/base/atproto/keys.ts'
import type { JsonObject } from '../../src/base/util/json-object.ts'
import { applyLabels } from '../../src/ingest/indexing/moderation/label.ts'
import { markPostMissing } from '../../src/ingest/indexing/records/found-posts.ts'
import { tellSeedCounts } from './earlier-acts.ts'
import { privateAct } from './private-acts.ts'
import type { Random } from './random.ts'
import type { RecordId, World } from './world.ts'

type Act = () => void

type Scene = {
  world: World
  random: Random
  people: string[]
  /** Records that a later act may delete. */
  made: RecordId[]
  lists: { did: string; id: RecordId }[]
}

const POST = 'app.bsky.feed.post'
const GENERATOR = 'app.bsky.feed.generator'
const LIST = 'app.bsky.graph.list'
const PURPOSES = ['app.bsky.graph.defs#modlist', 'app.bsky.graph.defs#curatelist']

/** Returns a function that performs a random one of these acts. */
export function furtherActs(world: World, random: Random): () => void {
  const people = Array.from({ length: 9 }, (_, i) => world.account(`person-${i}`))
  const scene: Scene = { world, random, people, made: [], lists: [] }
  const acts = [
    ...privateActs(scene),
    () => changeHandle(scene),
    ...listActs(scene),
    ...gateActs(scene),
    ...deletions(scene),
    ...fetchActs(scene),
    () => world.status(random.pick(people), random.pick(['takendown', 'deleted'] as const)),
    ...smallRecordActs(scene),
    () => world.status(random.pick(people), 'deleted'),
    () => tellSeedCounts(world, random),
    () => label(scene),
    () => void people.map((did) => world.status(did)),
  ]
  return () => random.pick(acts)()
}

function privateActs({ world, random, people }: Scene): Act[] {
  const muted: (readonly [string, string])[] = []
  return [
    () => {
      const pair = [random.pick(people), random.pick(people)] as const
      world.mute(...pair)
      muted.push(pair)
    },
    () => {
      if (muted.length > 0) world.unmute(...random.pick(muted))
    },
    () => privateAct(world, random, people),
    () => privateAct(world, random, people),
  ]
}

function changeHandle({ world, random, people }: Scene): void {
  const known = people.filter((did) => world.uid(did) !== 0)
  const did = known.length > 0 ? random.pick(known) : undefined
  if (did) world.handle(did, `name-${random.below(3)}.test`)
}

function listActs(scene: Scene): Act[] {
  const { world, random, people, made, lists } = scene
  return [
    () => {
      // By few accounts, since changes to the creator of an active list invalidate everything.
      const did = random.pick(people.slice(0, 2))
      const id = world.list(did, 'a list', random.pick(PURPOSES))
      lists.push({ did, id })
      made.push(id)
    },
    () => {
      if (lists.length > 0) made.push(world.listBlock(random.pick(people), random.pick(lists).id))
    },
    () => {
      if (lists.length === 0) return
      const { did, id } = random.pick(lists)
      made.push(world.listItem(did, id, random.pick(people)))
    },
    () => changePurpose(scene),
  ]
}

/** Changes a list's purpose under the same key. */
function changePurpose({ world, random, lists }: Scene): void {
  if (lists.length === 0) return
  const { did, id } = random.pick(lists)
  const purpose = random.pick(PURPOSES)
  const record = { name: 'another', purpose, createdAt: world.isoNow() }
  const rkey = id.uri.split('/').at(-1)!
  world.write({ did, collection: LIST, record, rkey, operation: 'update' })
}

function gateActs(scene: Scene): Act[] {
  const { world, made } = scene
  return [
    () => {
      const post = somePost(scene)
      const rule = { $type: 'app.bsky.feed.threadgate#followingRule' }
      if (post) made.push(world.threadgate(post, [rule]))
    },
    () => {
      const post = somePost(scene)
      if (post) made.push(world.postgate(post, { embeddingRules: [] }))
    },
  ]
}

/** A post by a random account, if it has created any. */
function somePost({ world, random, people }: Scene): RecordId | undefined {
  const did = random.pick(people)
  const posts = world.sent.flatMap((event) =>
    event.kind === 'commit' &&
    event.operation === 'create' &&
    event.collection === POST &&
    event.did === did
      ? [{ uri: `at://${did}/${POST}/${event.rkey}`, cid: event.cid }]
      : [],
  )
  return posts.length > 0 ? random.pick(posts) : undefined
}

function deletions({ world, random, people, made }: Scene): Act[] {
  return [
    () => world.delete(`at://${random.pick(people)}/app.bsky.actor.profile/self`),
    () => {
      const last = made.length > 0 ? made.splice(random.below(made.length), 1)[0] : undefined
      if (last) world.delete(last)
    },
  ]
}

/** A post that was fetched, and one that could not be. */
function fetchActs({ world, random, people }: Scene): Act[] {
  return [
    () => {
      const uri = `at://${random.pick(people)}/${POST}/3${'2'.repeat(12)}`
      const record = { $type: POST, text: `fetched ${random.below(100)}` }
      world.fetched({ uri, record: { ...record, createdAt: world.isoNow() } })
    },
    () => {
      const stub = world.db
        .prepare<[], number>('SELECT id FROM posts WHERE state = 0')
        .pluck()
        .get()
      if (stub !== undefined) world.run((ctx) => markPostMissing(ctx, stub))
    },
  ]
}

/** Writes to collections with few records per account. */
function smallRecordActs({ world, random, people, made }: Scene): Act[] {
  return [
    () => {
      const record = { did: 'did:web:feeds.test', displayName: `feed ${random.below(9)}` }
      made.push(world.create(random.pick(people), GENERATOR, record))
    },
    () => {
      const did = random.pick(people)
      const record: JsonObject = { allowIncoming: random.pick(['all', 'none']) }
      const collection = 'chat.bsky.actor.declaration'
      made.push(world.write({ did, collection, record, rkey: 'self' }))
    },
    () => {
      const [did, subject] = [random.pick(people), random.pick(people)]
      const record = { subject, handle: 'a.test', displayName: `name ${random.below(9)}` }
      made.push(world.create(did, 'app.bsky.graph.verification', record))
    },
    () => {
      const feeds = made.filter(({ uri }) => uri.includes(`/${GENERATOR}/`))
      if (feeds.length > 0) made.push(world.like(random.pick(people), random.pick(feeds)))
    },
  ]
}

/** Labels an account or a post, or negates the label. */
function label(scene: Scene): void {
  const { world, random, people } = scene
  const [src, about] = [random.pick(people), random.pick(people)]
  const post = random.chance(0.5) ? somePost(scene) : undefined
  // A label of an unknown post is stored, but needs no invalidation.
  const uri = post && hasRow(world, post.uri) ? post.uri : about
  const cts = new Date(world.now()).toISOString()
  const label = { val: random.pick(['a', 'b']), neg: random.chance(0.4), cts }
  const reported = { ...label, uri, cid: undefined, exp: undefined }
  if (world.uid(src) !== 0) world.run((ctx) => applyLabels(ctx, src, [reported]))
}

function hasRow(world: World, uri: string): boolean {
  const [, , did, , rkey] = uri.split('/')
  const sql = 'SELECT 1 FROM posts WHERE uid = ? AND rkey = ?'
  return world.db.prepare(sql).get(world.uid(did!), packRkey(rkey!)) !== undefined
}
