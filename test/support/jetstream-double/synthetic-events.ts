// Random events of the network's real mix and shapes: the training data of the dictionaries in test/fixtures,
// the benchmark's input, and volume for tests. The mix is the measured one: 62 % likes, 11 % posts, 8 %
// reposts, 7 % follows, the rest deletes, updates, identity and account events. A delete names a record
// created before.

import type { JsonObject } from '../../../src/base/util/json-object.ts'
import { createRandom, type Random } from '../random.ts'
import type { CommitEmission, Emission } from './emission.ts'
import { cidOf, didOf, tidAt } from './made-up-ids.ts'

const WORDS =
  'the a of and to in is it that for on with as this was be at by not are from or have an they which one you were all her she there would their we him been has when who will no more if out so up said what its about than into them can only other time new some could these two may first then do any like my now over such our man me even most made after also did many off before must well back through years much where your way down should because long each just state those people too mr how little good world make very year still see own work men day get here old life both between being under three never know same last another while us might great go come since against right came take used himself few house use place during high without again home around small however found mrs part school thought went say general once upon war every don does got united left number course until always away something fact water less public put think almost hand enough far took head yet better set told nothing night end why find asked later knew'.split(
    ' ',
  )
const TAILS = ['', '', '', '!', '?', ' 🙂', ' ❤️', '…', ' (ja) こんにちは', ' ça alors', ' \n\n#art']
const ACCOUNTS = 1_000_000

/** An endless source of events, determined by its seed. */
export type SyntheticEvents = { next(): Emission }

export function createSyntheticEvents(
  seed: number,
  startUs: number = Date.UTC(2026, 6, 4) * 1000,
): SyntheticEvents {
  const random = createRandom(seed)
  const deletable: CommitEmission[] = []
  let timeUs = startUs

  function next(): Emission {
    timeUs += 500 + random.below(3000)
    const roll = random.next()
    if (roll >= 0.93 && roll < 0.97 && deletable.length > 0) return deletion()
    if (roll >= 0.97) return accountLevel(roll)
    const event = creation(roll)
    const slot = deletable.length < 1000 ? deletable.length : random.below(1000)
    deletable[slot] = event
    return event
  }

  function creation(roll: number): CommitEmission {
    const did = anyDid(random)
    const [collection, fields] = recordOf(roll, random, timeUs)
    const rkey = tidAt(timeUs - random.below(900_000), random.below(1024))
    const createdAt = new Date(timeUs / 1000 - random.below(900)).toISOString()
    const record = { $type: collection, createdAt, ...fields }
    const cid = cidOf(`${did} ${rkey}`)
    return {
      did,
      timeUs,
      kind: 'commit',
      operation: collection.endsWith('profile') ? 'update' : 'create',
      collection,
      rkey: collection.endsWith('profile') ? 'self' : rkey,
      record,
      cid,
      rev: tidAt(timeUs, random.below(1024)),
    }
  }

  function deletion(): CommitEmission {
    const at = random.below(deletable.length)
    const { did, collection, rkey } = deletable[at]!
    deletable[at] = deletable[deletable.length - 1]!
    deletable.pop()
    const rev = tidAt(timeUs, random.below(1024))
    return { did, timeUs, kind: 'commit', operation: 'delete', collection, rkey, rev }
  }

  function accountLevel(roll: number): Emission {
    const did = anyDid(random)
    if (roll < 0.985) return { did, timeUs, kind: 'identity', handle: `${did.slice(8, 20)}.test` }
    if (random.chance(0.7)) return { did, timeUs, kind: 'account', active: true }
    const status = random.pick(['deactivated', 'deleted', 'takendown'])
    return { did, timeUs, kind: 'account', active: false, status }
  }

  return { next }
}

/** Returns an account: a popular one in three of ten draws, as on the network. */
function anyDid(random: Random): string {
  return didOf(random.chance(0.3) ? random.zipf(ACCOUNTS) : random.below(ACCOUNTS))
}

function recordOf(roll: number, random: Random, timeUs: number): [string, JsonObject] {
  if (roll < 0.62) return ['app.bsky.feed.like', { subject: postRef(random, timeUs) }]
  if (roll < 0.73) return ['app.bsky.feed.post', postFields(random, timeUs)]
  if (roll < 0.81) return ['app.bsky.feed.repost', { subject: postRef(random, timeUs) }]
  if (roll < 0.88) return ['app.bsky.graph.follow', { subject: anyDid(random) }]
  if (roll < 0.9) return ['app.bsky.graph.block', { subject: anyDid(random) }]
  return [
    'app.bsky.actor.profile',
    { displayName: words(random, 2), description: words(random, 5 + random.below(20)) },
  ]
}

function postFields(random: Random, timeUs: number): JsonObject {
  const text = words(random, 2 + random.below(30)) + random.pick(TAILS)
  const fields: JsonObject = { langs: [random.pick(['en', 'en', 'ja', 'pt', 'de'])], text }
  if (random.chance(0.49)) {
    const parent = postRef(random, timeUs)
    fields.reply = { parent, root: random.chance(0.5) ? parent : postRef(random, timeUs) }
  }
  if (random.chance(0.25)) fields.embed = embed(random, timeUs)
  return fields
}

function embed(random: Random, timeUs: number): JsonObject {
  if (random.chance(0.3)) return { $type: 'app.bsky.embed.record', record: postRef(random, timeUs) }
  const image = {
    alt: random.chance(0.5) ? '' : words(random, 6),
    aspectRatio: { height: 1000 + random.below(1000), width: 1000 + random.below(1000) },
    image: {
      $type: 'blob',
      ref: { $link: cidOf(String(random.next())).replace('bafyrei', 'bafkrei') },
      mimeType: 'image/jpeg',
      size: random.below(1_000_000),
    },
  }
  return { $type: 'app.bsky.embed.images', images: [image] }
}

function postRef(random: Random, timeUs: number): JsonObject {
  const rkey = tidAt(timeUs - random.below(80_000_000_000), random.below(1024))
  const uri = `at://${anyDid(random)}/app.bsky.feed.post/${rkey}`
  return { cid: cidOf(uri), uri }
}

function words(random: Random, count: number): string {
  return Array.from({ length: count }, () => random.pick(WORDS)).join(' ')
}
