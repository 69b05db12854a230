// A random social network in which every case that threads distinguish happens often: chains of the owner's
// own replies, deletions in the middle, gates with hidden replies, blocks between repliers, mutes, accounts
// that hide from visitors, replies that name a wrong root.

import type { AccountStatus } from '@slipstream/jetstream'
import type { Random } from './random.ts'
import { createWorld, type World } from './social-world.ts'

const statuses: AccountStatus[] = ['deactivated', 'takendown']
const ACCOUNTS = 7
const ROOTS = 3

export function randomThreads(random: Random, steps: number): World {
  const world = createWorld()
  for (let i = 0; i < ACCOUNTS; i++) makeAccount(world, random, i)
  const dids = [...world.accounts.keys()]
  for (let i = 0; i < ROOTS; i++) world.post(dids[i]!, { text: `root ${i}` })
  for (let i = 0; i < steps; i++) random.pick(bag)(sceneOf(world, random))
  for (const { uri } of world.of('app.bsky.feed.post')) if (random.chance(0.04)) world.remove(uri)
  return world
}

function makeAccount(world: World, random: Random, i: number): void {
  const did = world.account(`account${'abcdefg'[i]}`, {
    handle: `account${i}.test`,
    status: random.chance(0.06) ? random.pick(statuses) : undefined,
  })
  const values = [{ val: '!no-unauthenticated' }]
  const labels = { $type: 'com.atproto.label.defs#selfLabels', values }
  world.profile(did, random.chance(0.2) ? { labels } : {})
}

type Scene = { world: World; random: Random; did: string; other: string; post: string }

function sceneOf(world: World, random: Random): Scene {
  const dids = [...world.accounts.keys()]
  const posts = world.of('app.bsky.feed.post')
  // Favours the newest post, so that threads become deep.
  const post = random.chance(0.3) ? posts.at(-1)! : random.pick(posts)
  return { world, random, did: random.pick(dids), other: random.pick(dids), post: post.uri }
}

const actions: [weight: number, act: (scene: Scene) => unknown][] = [
  [30, reply],
  [18, (scene) => reply({ ...scene, did: ownerOf(scene) })],
  [12, ({ world, did, post }) => once(world, did, post, world.like)],
  [6, (scene) => once(scene.world, ownerOf(scene), scene.post, scene.world.like)],
  [3, ({ world, did, post }) => once(world, did, post, world.repost)],
  [3, ({ world, did, post }) => world.quote(did, post)],
  [4, ({ world, did, other }) => once(world, did, other, world.follow)],
  [1, ({ world, did, other }) => once(world, did, other, world.block)],
  [1, ({ world, did, other }) => did !== other && world.mute(did, other)],
  [2, gate],
  [4, ({ world, post }) => isReply(world, post) && world.remove(post)],
]
const bag = actions.flatMap(([weight, act]) => Array.from({ length: weight }, () => act))

function isReply(world: World, post: string): boolean {
  return world.records.get(post)?.value['reply'] !== undefined
}

function rootOf({ world, post }: Pick<Scene, 'world' | 'post'>): string {
  const reply = world.records.get(post)?.value['reply'] as { root: { uri: string } } | undefined
  return reply?.root.uri ?? post
}

function ownerOf(scene: Scene): string {
  return rootOf(scene).split('/')[2]!
}

function reply(scene: Scene): void {
  const { world, random, did, post } = scene
  const others = world.of('app.bsky.feed.post')
  const root = random.chance(0.96) ? rootOf(scene) : random.pick(others).uri
  const text = random.chance(0.1) ? ' 📌 ' : `reply ${world.deeds.length}`
  world.reply(did, { root, parent: post }, { text })
}

function gate(scene: Scene): void {
  const { world, random } = scene
  const root = rootOf(scene)
  if (!world.records.has(root)) return
  const name = random.pick(['mentionRule', 'followerRule', 'followingRule'])
  const allow = random.chance(0.4) ? [{ $type: `app.bsky.feed.threadgate#${name}` }] : undefined
  const posts = world.of('app.bsky.feed.post').map(({ uri }) => uri)
  const hiddenReplies = posts.filter(() => random.chance(0.2)).slice(-50)
  world.threadgate(root, { ...(allow && { allow }), hiddenReplies })
}

/** The reference keeps only the first of several records from one account to one subject. */
function once(
  world: World,
  did: string,
  subject: string,
  put: (did: string, subject: string) => string,
): void {
  const isKnown = [...world.records.values()].some(
    (record) => record.did === did && subjectOf(record.value) === subject,
  )
  if (did !== subject && !isKnown) put(did, subject)
}

function subjectOf({ subject }: Record<string, unknown>): unknown {
  return typeof subject === 'object' ? (subject as { uri: string }).uri : subject
}
