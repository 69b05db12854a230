// The acts of the recorded world, in order: the random one of test/support/random-world.ts, and around it the
// members who read it, lists, starter packs, feeds, gates, changes of handles and accounts that leave. The
// first half lies in the hours before the start, the second follows it in milliseconds.

import { HOUR_MS } from '../../../src/base/util/durations.ts'
import { createRandom, type Random } from '../../../test/support/random.ts'
import { randomWorld, verifierOf } from '../../../test/support/random-world.ts'
import { tidAt } from '../../../test/support/records.ts'
import { postText } from '../../../test/support/simulated-network/words.ts'
import type { World, WorldAction } from '../../../test/support/social-world.ts'
import type { Act, TimedAct } from './act.ts'
import { memberActs, randomMembers } from './member-acts.ts'

type Value = Record<string, unknown>

export type RecordedActs = {
  world: World
  verifier: string
  /** How many of the past acts come before all others, the members' follows among them. */
  beginnings: number
  past: TimedAct[]
  present: TimedAct[]
}

const STEPS = 3_000
const ACCOUNTS = 24
const PAST_HOURS = 20
const PRESENT_STEP_MS = 3
const TAGS = ['cats', 'weather', 'bread']

/** Deterministic but for `startMs`, to which all times are relative. */
export function recordActs(seed: number, startMs: number): RecordedActs {
  const random = createRandom(seed)
  const world = randomWorld(random, STEPS, ACCOUNTS)
  const half = Math.floor(world.deeds.length / 2)
  const { first, later, last } = memberActs(world, createRandom(seed + 1))
  const gates = new Set<string>()
  const actions = world.deeds
    .map(actOf)
    .filter((act) => !isMembersFollow(world, act) && !changesGate(act, gates))
  const past = [...first, ...actions.slice(0, half)]
  const present = [...later, ...actions.slice(half), ...last]
  const pastStepMs = (PAST_HOURS * HOUR_MS) / past.length
  const names = new Map<string, string>()
  const timed = (acts: Act[], at: (i: number) => number) =>
    acts.map((act, i) => complete(act, { atMs: Math.floor(at(i)), names, random }))
  return {
    world,
    verifier: verifierOf(world),
    beginnings: first.length,
    past: timed(past, (i) => startMs - PAST_HOURS * HOUR_MS + i * pastStepMs),
    present: timed(present, (i) => startMs + 1_000 + i * PRESENT_STEP_MS),
  }
}

function actOf({ kind, record }: WorldAction): Act {
  const { did, collection, rkey, value, cid } = record
  if (kind === 'delete') return { kind: 'remove', did, collection, rkey }
  return { kind: 'put', did, collection, rkey, value, madeAs: cid }
}

/** Members' follows all come first: a later one would have its author fetched beside the stream. */
function isMembersFollow(world: World, act: Act): boolean {
  const isFollow = 'collection' in act && act.collection === 'app.bsky.graph.follow'
  return isFollow && randomMembers(world).includes(act.did)
}

/** A reply that is fetched before its thread's gate changed is not judged again, so it would depend on chance. */
function changesGate(act: Act, gates: Set<string>): boolean {
  if (!('collection' in act) || act.collection !== 'app.bsky.feed.threadgate') return false
  const key = `${act.did} ${act.rkey}`
  const isChange = act.kind === 'remove' || gates.has(key)
  gates.add(key)
  return isChange
}

type Context = { atMs: number; names: Map<string, string>; random: Random }

/** Gives records of the random world keys and times that fit their place in the stream. */
function complete(act: Act, { atMs, names, random }: Context): TimedAct {
  if (act.kind === 'rename' || act.kind === 'account') return { ...act, atMs }
  const isNew = act.kind === 'put' && MADE_UP_KEY.test(act.rkey) && !names.has(act.rkey)
  if (isNew) names.set(act.rkey, tidAt(atMs * 1000, names.size & 1023))
  const rkey = names.get(act.rkey) ?? act.rkey
  if (act.kind === 'remove') return { ...act, rkey, atMs }
  const renamed = JSON.stringify(act.value).replaceAll(MADE_UP_KEYS, (key) => names.get(key) ?? key)
  const value = { ...(JSON.parse(renamed) as Value), createdAt: createdAt(atMs, random) }
  const words = act.madeAs ? wordsOf(act.collection, value, random) : {}
  return { ...act, rkey, atMs, value: { ...value, ...words } }
}

const MADE_UP_KEY = /^3aaaaaa[2-7a-z]{6}$/
const MADE_UP_KEYS = /3aaaaaa[2-7a-z]{6}/g

/** Some records say that they are older than they are. */
function createdAt(atMs: number, random: Random): string {
  return new Date(random.chance(0.1) ? atMs - HOUR_MS : atMs).toISOString()
}

function wordsOf(collection: string, value: Value, random: Random): Value {
  if (collection === 'app.bsky.graph.list') return { name: `list of ${random.pick(TAGS)}` }
  if (collection !== 'app.bsky.feed.post' || value['text'] === '') return {}
  const tags = random.chance(0.2) ? { tags: [random.pick(TAGS)] } : {}
  return { text: postText(random).slice(0, 250), langs: [random.pick(['en', 'de'])], ...tags }
}
