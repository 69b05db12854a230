// Gives a simulated network's accounts realistic names, faces, sentences, hashtags and pictures, for the demo
// and the screenshots.

import type { Random } from '../test/support/random.ts'
import type { SimulatedNetwork } from '../test/support/simulated-network/network.ts'
import type { SimulatedAccount } from '../test/support/simulated-network/repository.ts'

export type Picture = { cid: string; size: number; alt: string }

export type Members = {
  members: SimulatedAccount[]
  /** The member whose timeline is explored. */
  reader: SimulatedAccount
  /** An account that the reader follows and then mutes. */
  muted: SimulatedAccount
  /** An account with many followers, but not followed by the reader. */
  wellKnown: SimulatedAccount
}

const FOLLOW = 'app.bsky.graph.follow'
const PROFILE = 'app.bsky.actor.profile'
const MEMBERS = 8
const TAGGED = 0.2
const ILLUSTRATED = 0.25

const tags = [
  'gardening',
  'sourdough',
  'tides',
  'birdsong',
  'bookbinding',
  'railways',
  'choir',
  'radio',
]

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

/** The text of a post: a sentence, sometimes with a hashtag or a picture. */
export function wordsBy(pictures: readonly Picture[]): (random: Random) => Record<string, unknown> {
  return (random) => {
    const sentence = random.pick(texts)
    const tag = random.chance(TAGGED) ? random.pick(tags) : undefined
    const text = tag ? `${sentence} #${tag}` : sentence
    const picture = random.chance(ILLUSTRATED) ? random.pick(pictures) : undefined
    return {
      text,
      ...(tag && { facets: [facetOf(text, tag)] }),
      ...(picture && { embed: embedOf(picture) }),
    }
  }
}

/** In bytes, as facets count. */
function facetOf(text: string, tag: string) {
  const byteEnd = Buffer.byteLength(text)
  const index = { byteStart: byteEnd - Buffer.byteLength(tag) - 1, byteEnd }
  return { index, features: [{ $type: 'app.bsky.richtext.facet#tag', tag }] }
}

function embedOf({ cid, size, alt }: Picture) {
  const image = { $type: 'blob', ref: { $link: cid }, mimeType: 'image/jpeg', size }
  const images = [{ alt, image, aspectRatio: { width: 4, height: 3 } }]
  return { $type: 'app.bsky.embed.images', images }
}

/** Assigns names and faces to the network's accounts. */
export function introduce(network: SimulatedNetwork, faces: readonly Picture[] = []): void {
  for (const [i, repository] of network.repositories.entries()) {
    introduceOne(repository, i, faces[i % Math.max(1, faces.length)])
  }
}

/** Some members, and the accounts shown in the screenshots. */
export function membersOf(network: SimulatedNetwork): Members {
  const { repositories } = network
  const members = [...repositories]
    .sort((a, b) => followsOf(b).length - followsOf(a).length)
    .slice(0, MEMBERS)
  const reader = members[0]!
  const followed = new Set(followsOf(reader))
  return {
    members,
    reader,
    muted: repositories.findLast(({ did }) => followed.has(did))!,
    wellKnown: repositories.find(
      (repository) => repository !== reader && !followed.has(repository.did),
    )!,
  }
}

function introduceOne(repository: SimulatedAccount, i: number, face: Picture | undefined): void {
  const name = given[i % given.length]!
  const surname = family[Math.floor(i / given.length + i) % family.length]!
  const round = Math.floor(i / (given.length * places.length))
  const place = places[Math.floor(i / given.length) % places.length]!
  repository.rename(`${name.toLowerCase()}.${place}${round || ''}.example`)
  const avatar = face && {
    $type: 'blob',
    ref: { $link: face.cid },
    mimeType: 'image/png',
    size: face.size,
  }
  const value = {
    displayName: `${name} ${surname}`,
    description: `At the ${place}. ${tags[i % tags.length]}, mostly.`,
    ...(avatar && { avatar }),
  }
  repository.put({ collection: PROFILE, rkey: 'self', value, atMs: 0 })
}

export function followsOf(repository: SimulatedAccount): string[] {
  const records = repository.collections.get(FOLLOW)?.values() ?? []
  return [...records].map(({ value }) => String(value['subject']))
}
