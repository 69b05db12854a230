// A network for a first sign-in: authors on several PDS doubles that answer late, like distant servers, and a
// Jetstream double that holds the last hours of all of them among strangers' events. The records of those
// hours are in the repositories too, as in the real network.

import { HOUR_MS } from '../../src/base/util/durations.ts'
import { createJetstreamDouble } from '../../test/support/jetstream-double/double.ts'
import type { Emission } from '../../test/support/jetstream-double/emission.ts'
import { createSyntheticEvents } from '../../test/support/jetstream-double/synthetic-events.ts'
import { type PdsAccount, startPdsDouble } from '../../test/support/pds-double.ts'
import { startPlcDouble } from '../../test/support/plc-double.ts'
import { createRandom, type Random } from '../../test/support/random.ts'
import type { Commit } from '../../test/support/simulated-network/repository.ts'
import { postText } from '../../test/support/simulated-network/words.ts'
import { quickCid } from './quick-cid.ts'

export type Person = PdsAccount & { keypair: Awaited<ReturnType<Plc['create']>>['keypair'] }
export type ColdNetwork = Awaited<ReturnType<typeof createColdNetwork>>

type Plc = Awaited<ReturnType<typeof startPlcDouble>>
type Action = { atMs: number; emission: Emission }

const WINDOW_MS = 36 * HOUR_MS
const HOSTS = 25
/** Per author: the number of old posts, and of posts in the last hours. */
const POSTS = { old: 30, recent: 8 }
const REPOSTS = { old: 3, recent: 2 }
const LIKES = { old: 10, recent: 20 }
const FOLLOWS = 60
const BLOCKS = 2
/** Strangers' events per author's event; the host searches through all of them. */
const STRANGERS_SHARE = 3

export async function createColdNetwork(options: { authors: number; lagMs: number; seed: number }) {
  const random = createRandom(options.seed)
  const plc = await startPlcDouble()
  const hosts = await Promise.all(Array.from({ length: HOSTS }, startPdsDouble))
  const stream = await createJetstreamDouble({ recordSent: false })
  const startMs = Date.now()
  let serial = 0

  async function person(name: string): Promise<Person> {
    const pds = hosts[serial++ % hosts.length]!
    const handle = `${name}.example.com`
    const { did, keypair } = await plc.create({ handle, pds: pds.origin })
    const account = Object.assign(pds.create({ did, handle }), { keypair })
    const value = { displayName: name, createdAt: new Date(startMs - WINDOW_MS * 9).toISOString() }
    account.put({
      collection: 'app.bsky.actor.profile',
      rkey: 'self',
      value,
      atMs: startMs - WINDOW_MS * 9,
    })
    return account
  }

  const authors: Person[] = []
  for (let i = 0; i < options.authors; i++) authors.push(await person(`author${i}`))
  const actions = authors.flatMap((author) => liveOf(author, { authors, random, startMs }))
  actions.sort((a, b) => a.atMs - b.atMs)
  emitPast(stream, actions, { random, startMs })
  for (const host of [plc, ...hosts]) host.lag(options.lagMs)
  return {
    plc,
    hosts,
    stream,
    authors,
    person,
    /** Posts and reposts of the last hours. */
    recentItems: actions.filter(({ emission }) => /post$/.test(collectionOf(emission))).length,
    recentLikes: actions.filter(({ emission }) => collectionOf(emission).endsWith('like')).length,
    requests: () => hosts.reduce((sum, host) => sum + host.stats().requests, 0),
    async close() {
      await Promise.all([plc.close(), stream.close(), ...hosts.map((host) => host.close())])
    },
  }
}

export function followAll(
  creator: PdsAccount,
  subjects: readonly PdsAccount[],
  atMs: number,
): void {
  for (const [i, { did }] of subjects.entries())
    put(creator, 'app.bsky.graph.follow', { subject: did }, atMs + i)
}

export function put(account: PdsAccount, collection: string, fields: object, atMs: number): Commit {
  const value = { createdAt: new Date(atMs).toISOString(), ...fields }
  return account.put({ collection, value, atMs })
}

/**
 * Writes an author's repository.
 * @returns the part that belongs to the last hours
 */
function liveOf(
  author: Person,
  world: { authors: readonly Person[]; random: Random; startMs: number },
): Action[] {
  const { authors, random, startMs } = world
  const windowMs = startMs - WINDOW_MS
  const actions: Action[] = []
  const oldTimes = (count: number) => times(count, windowMs - 60 * 24 * HOUR_MS, windowMs, random)
  const someone = () => random.pick(authors).did
  for (const atMs of oldTimes(FOLLOWS))
    put(author, 'app.bsky.graph.follow', { subject: someone() }, atMs)
  for (const atMs of oldTimes(BLOCKS))
    put(author, 'app.bsky.graph.block', { subject: someone() }, atMs)
  const kinds: [string, { old: number; recent: number }, () => object][] = [
    ['app.bsky.feed.post', POSTS, () => ({ text: postText(random), langs: ['en'] })],
    ['app.bsky.feed.repost', REPOSTS, () => ({ subject: postOf(random.pick(authors), random) })],
    ['app.bsky.feed.like', LIKES, () => ({ subject: postOf(random.pick(authors), random) })],
  ]
  for (const [collection, { old, recent }, fields] of kinds) {
    for (const atMs of oldTimes(old)) put(author, collection, fields(), atMs)
    for (const atMs of times(recent, windowMs + HOUR_MS, startMs, random)) {
      actions.push({ atMs, emission: put(author, collection, fields(), atMs) as Emission })
    }
  }
  return actions
}

/** An existing post by this person, or an old one by a stranger. */
function postOf(person: Person, random: Random): { uri: string; cid: string } {
  const posts = [...(person.collections.get('app.bsky.feed.post')?.values() ?? [])]
  if (posts.length === 0) return { uri: NOBODYS_POST, cid: quickCid(person.did, 'nobody') }
  const { rkey, cid } = random.pick(posts)
  return { uri: `at://${person.did}/app.bsky.feed.post/${rkey}`, cid }
}

const NOBODYS_POST = 'at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/app.bsky.feed.post/3jzfcijpj2z2a'

function times(count: number, from: number, to: number, random: Random): number[] {
  const drawn = Array.from({ length: count }, () => from + random.next() * (to - from))
  return drawn.map(Math.floor).sort((a, b) => a - b)
}

function emitPast(
  stream: Awaited<ReturnType<typeof createJetstreamDouble>>,
  actions: Action[],
  { random, startMs }: { random: Random; startMs: number },
): void {
  const strangers = createSyntheticEvents(5, (startMs - WINDOW_MS) * 1000)
  // Shows that the host's window begins before the requested time.
  stream.emit({ ...strangers.next(), timeUs: (startMs - WINDOW_MS - 2 * HOUR_MS) * 1000 })
  for (const { atMs, emission } of actions) {
    for (let i = 0; i < STRANGERS_SHARE; i++) {
      stream.emit({ ...strangers.next(), timeUs: atMs * 1000 - random.below(1000) - 1 })
    }
    stream.emit({ ...emission, timeUs: atMs * 1000 })
  }
}

function collectionOf(emission: Emission): string {
  return 'collection' in emission ? emission.collection : ''
}
