// Gives the people of a simulated network names, and words that people would write.

import { createRandom, type Random } from '../../test/support/random.ts'
import type { SimulatedNetwork } from '../../test/support/simulated-network/network.ts'
import type { SimulatedAccount } from '../../test/support/simulated-network/repository.ts'

export type Dressed = {
  members: SimulatedAccount[]
  /** The member whose timeline is explored. */
  reader: SimulatedAccount
  /** Somebody the reader follows, and then mutes. */
  muted: SimulatedAccount
  /** Somebody whom many follow, but not the reader. */
  wellKnown: SimulatedAccount
}

const POST = 'app.bsky.feed.post'
const FOLLOW = 'app.bsky.graph.follow'
const PROFILE = 'app.bsky.actor.profile'
const MEMBERS = 8

const given =
  'Ines Matteo Aiko Jonas Priya Tomas Leila Oskar Nadia Bram Yuki Clara Emeka Sofia Anders Mina Luca Freya Amara Diego Hana Piet Rosa Idris Greta Noor Viktor Elif Marta Sunil'.split(
    ' ',
  )
const family =
  'Varga Lindqvist Okafor Tanaka Moreau Castellano Novak Haddad Brandt Silva Kowalski Iyer Berg Ferrari Demir'.split(
    ' ',
  )
const places = ['garden', 'harbour', 'workshop', 'library', 'orchard', 'radio']

const texts = [
  'The tide table was right and my shoes were wrong.',
  'First tomatoes of the year. Small, lopsided, perfect.',
  'Spent the morning teaching a machine to recognise birdsong. It is now very sure about one pigeon.',
  'If your talk needs forty slides, it needs twenty. If it needs twenty, it might be a walk.',
  'Anyone near the harbour tonight: the bioluminescence is back, bring a friend and no torch.',
  'Rewrote the parser. Deleted more than I wrote. Good day.',
  'Reading an old railway timetable and finding it has better prose than most novels I finished this year.',
  'Our library lends umbrellas now. Civilisation continues.',
  'Small joy: a bug report with a reproduction, a stack trace and an apology.',
  'The bread rose, the cat sat on it, we are calling it focaccia.',
  'New field recordings from the marsh are up. Headphones recommended, patience required.',
  'What is the oldest tool you still use every week? Mine is my grandmother’s bread knife.',
  'Eleven kilometres before breakfast, and then breakfast twice.',
  'Open protocols are a bit like public parks: you notice them when somebody tries to fence one in.',
  'The museum is free on Thursdays and empty at nine. You are welcome.',
  'Today I learned that swifts sleep on the wing, and that I cannot sleep on a night bus.',
  'The choir needs tenors. The choir always needs tenors.',
  'Repaired the radio with a paper clip. It only gets one station, but it is the good one.',
]

/** Changes what the network's accounts hold, and what they will write from now on. */
export function dress(network: SimulatedNetwork): Dressed {
  const random = createRandom(3)
  for (const [i, repository] of network.repositories.entries()) dressOne(repository, i, random)
  sayBetterWords(network, random)
  const { repositories } = network
  const members = [...repositories]
    .sort((a, b) => followsOf(b).length - followsOf(a).length)
    .slice(0, MEMBERS)
  const reader = members[0]!
  const followed = new Set(followsOf(reader))
  return {
    ...{ members, reader },
    muted: repositories.findLast(({ did }) => followed.has(did))!,
    wellKnown: repositories.find((one) => one !== reader && !followed.has(one.did))!,
  }
}

function dressOne(repository: SimulatedAccount, i: number, random: Random): void {
  const name = given[i % given.length]!
  const surname = family[Math.floor(i / given.length + i) % family.length]!
  const round = Math.floor(i / (given.length * places.length))
  const place = places[Math.floor(i / given.length) % places.length]!
  repository.rename(`${name.toLowerCase()}.${place}${round || ''}.example`)
  const atMs = Date.now() - 3_600_000
  const value = { displayName: `${name} ${surname}` }
  repository.put({ collection: PROFILE, rkey: 'self', value, atMs: 0 })
  for (const { rkey, value } of [...(repository.collections.get(POST)?.values() ?? [])]) {
    repository.put({ collection: POST, rkey, value: { ...value, text: random.pick(texts) }, atMs })
  }
}

function sayBetterWords(network: SimulatedNetwork, random: Random): void {
  const { act } = network
  network.act = (atMs) => {
    const event = act(atMs)
    const isWrite = event?.kind === 'commit' && event.operation !== 'delete'
    if (isWrite && event.collection === POST) event.record['text'] = random.pick(texts)
    return event
  }
}

function followsOf(repository: SimulatedAccount): string[] {
  const records = repository.collections.get(FOLLOW)?.values() ?? []
  return [...records].map(({ value }) => String(value['subject']))
}
