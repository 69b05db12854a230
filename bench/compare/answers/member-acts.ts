// What the members of the recorded world do beside its random acts: one follows nearly everybody, one hardly
// anybody, one blocks. They have lists, a starter pack and feeds of a generator that answers. Before the end,
// accounts change their handles and leave, some for a time.

import type { Random } from '../../../test/support/random.ts'
import { cidOf, type World } from '../../../test/support/social-world.ts'
import type { Act } from './act.ts'

export const FEED_GENERATOR = 'did:plc:feedgenerator22222222222'
export const LABELER = 'did:plc:labeler22222222222222222'

const member = (name: string) => `did:plc:${name.padEnd(24, '2')}`
export const KEEN = member('keen')
export const QUIET = member('quiet')
export const BLOCKER = member('blocker')

export const ownMembers = [
  { did: KEEN, handle: 'keen.test' },
  { did: QUIET, handle: 'quiet.test' },
  { did: BLOCKER, handle: 'blocker.test' },
]

/** Members whose other acts are random. */
export function randomMembers(world: World): string[] {
  return [...world.accounts.keys()].slice(0, 2)
}

type Value = Record<string, unknown>

let made = 0

function put(did: string, collection: string, value: Value, rkey = keyOf(++made)): Act {
  return { kind: 'put', did, collection, rkey, value: { $type: collection, ...value } }
}

/** A key that acts.ts replaces by one of the right time. */
function keyOf(n: number): string {
  const digits = '234567abcdefghijklmnopqrstuvwxyz'
  return `3aaaaaaz${[3, 2, 1, 0].map((i) => digits[(n >> (5 * i)) & 31]).join('')}2`
}

export function memberActs(world: World, random: Random) {
  made = 0
  const people = [...world.accounts.keys()]
  return {
    first: [...profiles(), ...follows(people), ...ownRecords(people)],
    later: [...pages(people, random), ...blocks(people)],
    last: [...changes(people), ...farewells(people)],
  }
}

function profiles(): Act[] {
  return ownMembers.map(({ did, handle }) => {
    const profile = { displayName: `The ${handle}`, description: 'reads' }
    return put(did, 'app.bsky.actor.profile', profile, 'self')
  })
}

function follows(people: readonly string[]): Act[] {
  const follow = (did: string, subject: string) => put(did, 'app.bsky.graph.follow', { subject })
  return [
    ...[...people, QUIET, BLOCKER].map((subject) => follow(KEEN, subject)),
    ...people.slice(2, 4).map((subject) => follow(QUIET, subject)),
    ...people.filter((_, i) => i % 2 === 0).map((subject) => follow(BLOCKER, subject)),
    ...people.slice(2, 8).map((did) => follow(did, KEEN)),
    ...people.slice(1, 14).map((subject) => follow(people[0]!, subject)),
    ...[KEEN, people[0]!, ...people.slice(8)].map((subject) => follow(people[1]!, subject)),
    follow(QUIET, KEEN),
    follow(people[5]!, QUIET),
  ]
}

/** Lists, a starter pack and feeds, under keys that requests can name. */
function ownRecords(people: readonly string[]): Act[] {
  const list = (purpose: string, rkey: string) => {
    const value = { name: `${rkey} of Keen`, purpose: `app.bsky.graph.defs#${purpose}` }
    return put(KEEN, 'app.bsky.graph.list', { ...value, description: 'people' }, named(rkey))
  }
  const item = (rkey: string, subject: string) =>
    put(KEEN, 'app.bsky.graph.listitem', { list: uri(KEEN, 'graph.list', rkey), subject })
  const feed = (did: string, rkey: string, displayName: string) =>
    put(did, 'app.bsky.feed.generator', { did: FEED_GENERATOR, displayName }, named(rkey))
  return [
    list('curatelist', 'curated'),
    list('modlist', 'moderated'),
    list('referencelist', 'referred'),
    ...people.slice(0, 10).map((did) => item('curated', did)),
    ...people.slice(10, 13).map((did) => item('moderated', did)),
    ...people.slice(0, 9).map((did) => item('referred', did)),
    feed(KEEN, 'good', 'Good posts'),
    feed(BLOCKER, 'other', 'Other posts'),
    put(
      KEEN,
      'app.bsky.graph.starterpack',
      {
        name: 'Start with Keen',
        list: uri(KEEN, 'graph.list', 'referred'),
        feeds: [{ uri: uri(KEEN, 'feed.generator', 'good') }],
      },
      named('pack'),
    ),
  ]
}

export function uri(did: string, collection: string, name: string): string {
  return `at://${did}/app.bsky.${collection}/${named(name)}`
}

/** A key of the usual form with a name in it. */
function named(name: string): string {
  return `3m4t${name}`.padEnd(13, '2')
}

const ref = (at: string) => ({ uri: at, cid: cidOf({ uri: at }) })

/** A thread by Keen and Quiet, with mentions, likes and reposts, under names for requests. */
function pages(people: readonly string[], random: Random): Act[] {
  const post = 'app.bsky.feed.post'
  const root = ref(uri(KEEN, 'feed.post', 'root'))
  const own = ref(uri(KEEN, 'feed.post', 'own'))
  const reply = (parent: object) => ({ reply: { root, parent } })
  const features = [{ $type: 'app.bsky.richtext.facet#mention', did: QUIET }]
  const facets = [{ index: { byteStart: 0, byteEnd: 6 }, features }]
  const like = (did: string, subject: object) => put(did, 'app.bsky.feed.like', { subject })
  return [
    put(KEEN, post, { text: 'The root of a thread' }, named('root')),
    put(KEEN, post, { text: 'continued by its author', ...reply(root) }, named('own')),
    put(QUIET, post, { text: '@quiet answers', facets, ...reply(own) }, named('answer')),
    ...people.slice(0, 12).map((did) => put(did, post, { text: 'I think so', ...reply(root) })),
    ...people.slice(0, 15).map((did) => like(did, root)),
    ...people.slice(3, 9).map((did) => put(did, 'app.bsky.feed.repost', { subject: root })),
    ...people
      .slice(4, 8)
      .map((did) => put(did, post, { text: 'Look', embed: quoteOf(random.pick([root, own])) })),
    ...people.slice(0, 7).map((did) => like(did, ref(uri(KEEN, 'feed.generator', 'good')))),
  ]
}

function quoteOf(record: object) {
  return { $type: 'app.bsky.embed.record', record }
}

function blocks(people: readonly string[]): Act[] {
  const block = (did: string, subject: string) => put(did, 'app.bsky.graph.block', { subject })
  const subject = uri(KEEN, 'graph.list', 'moderated')
  return [
    ...people.slice(6, 9).map((did) => block(BLOCKER, did)),
    block(people[14]!, BLOCKER),
    put(BLOCKER, 'app.bsky.graph.listblock', { subject }),
  ]
}

function changes(people: readonly string[]): Act[] {
  const rename = (i: number, handle: string): Act => ({ kind: 'rename', did: people[i]!, handle })
  const rkey = 'self'
  const collection = 'app.bsky.actor.profile'
  return [
    rename(3, 'renamed.test'),
    rename(11, 'moved.test'),
    put(people[4]!, collection, { displayName: 'Anew', description: 'changed' }, rkey),
    { kind: 'remove', did: people[5]!, collection, rkey },
    put(QUIET, 'app.bsky.feed.post', { text: 'Good night, cats', tags: ['cats'] }, named('night')),
  ]
}

function farewells(people: readonly string[]): Act[] {
  const [away, back, banned, gone] = [16, 17, 18, 19].map((i) => people[i]!)
  return [
    { kind: 'account', did: away!, status: 'deactivated' },
    { kind: 'account', did: back!, status: 'deactivated' },
    { kind: 'account', did: banned!, status: 'takendown' },
    { kind: 'account', did: gone!, status: 'deleted' },
    { kind: 'account', did: back!, status: undefined },
  ]
}
