// Random acts in every collection of a few repositories: records are created, refer to each other and are
// removed. Only the repositories change; whether an index hears of it is up to the test.

import type { Collection } from '../../src/base/atproto/collections.ts'
import { refOf } from './backfill-world.ts'
import type { PdsAccount } from './pds-double.ts'
import type { Random } from './random.ts'
import type { Commit } from './simulated-network/repository.ts'

type Cast = {
  /** Accounts that the others' posts and follows refer to. */
  authors: readonly PdsAccount[]
  strangers: readonly PdsAccount[]
  random: Random
}

type Scene = Cast & {
  everybody: readonly PdsAccount[]
  posts: Commit[]
  lists: [owner: PdsAccount, list: Commit][]
  generators: Commit[]
  /** Time of the last act. */
  atMs: number
}

type Write = (scene: Scene, account: PdsAccount) => Commit | undefined

const POST = 'app.bsky.feed.post'
const REMOVAL_SHARE = 0.35

const WRITES: readonly Write[] = [
  post,
  like,
  repost,
  (scene, account) =>
    put(scene, account, 'app.bsky.graph.follow', { subject: scene.random.pick(scene.authors).did }),
  (scene, account) =>
    put(scene, account, 'app.bsky.graph.block', {
      subject: scene.random.pick(scene.everybody).did,
    }),
  list,
  listItem,
  listBlock,
  (scene, account) => gate(scene, account, 'app.bsky.feed.threadgate', { allow: [] }),
  (scene, account) => gate(scene, account, 'app.bsky.feed.postgate', {}),
  profile,
  generator,
]

/** Returns a function that performs one act; undefined when the act is impossible so far. */
export function createRepositoryActs(cast: Cast): () => Commit | undefined {
  const { authors, strangers, random } = cast
  const everybody = [...authors, ...strangers]
  const atMs = Date.now() - 3_600_000
  const scene: Scene = { ...cast, everybody, posts: [], lists: [], generators: [], atMs }
  return () => {
    const account = random.pick(everybody)
    return random.chance(REMOVAL_SHARE)
      ? remove(scene, account)
      : random.pick(WRITES)(scene, account)
  }
}

function put(
  scene: Scene,
  account: PdsAccount,
  collection: Collection,
  fields: object,
  rkey?: string,
): Commit {
  scene.atMs += 1000
  const { atMs } = scene
  const value = { createdAt: new Date(atMs).toISOString(), ...fields }
  return account.put({ collection, rkey, value, atMs })
}

function post(scene: Scene, account: PdsAccount): Commit {
  const { authors, posts, random, atMs } = scene
  const isReply = posts.length > 0 && random.chance(0.6)
  const parent = isReply ? refOf(random.pick(posts)) : undefined
  const reply = parent && { reply: { root: parent, parent } }
  const made = put(scene, account, POST, { text: `text ${atMs}`, ...reply })
  if (authors.includes(account)) posts.push(made)
  return made
}

function like(scene: Scene, account: PdsAccount): Commit | undefined {
  const subjects = [...scene.posts, ...scene.generators]
  if (subjects.length === 0) return undefined
  const subject = refOf(scene.random.pick(subjects))
  return put(scene, account, 'app.bsky.feed.like', { subject })
}

function repost(scene: Scene, account: PdsAccount): Commit | undefined {
  const { posts, random } = scene
  if (posts.length === 0) return undefined
  return put(scene, account, 'app.bsky.feed.repost', { subject: refOf(random.pick(posts)) })
}

function list(scene: Scene, account: PdsAccount): Commit {
  const purpose = 'app.bsky.graph.defs#modlist'
  const made = put(scene, account, 'app.bsky.graph.list', { name: `list ${scene.atMs}`, purpose })
  scene.lists.push([account, made])
  return made
}

function listItem(scene: Scene, account: PdsAccount): Commit | undefined {
  const own = scene.lists.find(([owner]) => owner === account)
  if (!own) return undefined
  const subject = scene.random.pick(scene.everybody).did
  return put(scene, account, 'app.bsky.graph.listitem', { list: refOf(own[1]).uri, subject })
}

function listBlock(scene: Scene, account: PdsAccount): Commit | undefined {
  const { lists, random } = scene
  if (lists.length === 0) return undefined
  const subject = refOf(random.pick(lists)[1]).uri
  return put(scene, account, 'app.bsky.graph.listblock', { subject })
}

function gate(
  scene: Scene,
  account: PdsAccount,
  collection: Collection,
  fields: object,
): Commit | undefined {
  const own = scene.posts.find(({ did }) => did === account.did)
  return own && put(scene, account, collection, { post: refOf(own).uri, ...fields }, own.rkey)
}

function profile(scene: Scene, account: PdsAccount): Commit {
  return put(scene, account, 'app.bsky.actor.profile', { displayName: `${scene.atMs}` }, 'self')
}

function generator(scene: Scene, account: PdsAccount): Commit {
  const fields = { did: 'did:web:feeds.example.com', displayName: `feed ${scene.atMs}` }
  const made = put(scene, account, 'app.bsky.feed.generator', fields)
  scene.generators.push(made)
  return made
}

function remove(scene: Scene, account: PdsAccount): Commit | undefined {
  const full = [...account.collections].filter(([, records]) => records.size > 0)
  if (full.length === 0) return undefined
  const [collection, records] = scene.random.pick(full)
  scene.atMs += 1000
  return account.remove(collection, scene.random.pick([...records.keys()]), scene.atMs)
}
