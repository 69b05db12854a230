// Everything that one member can leave in the database: records of every kind, private state, and what is
// noted about the account by us, by other accounts and by the operator.

import { type LexiconDoc, Lexicons } from '@atproto/lexicon'
import { packRkey } from '../../src/base/atproto/keys.ts'
import documents from '../../src/base/atproto/lexicons/record-lexicons.json' with { type: 'json' }
import type { JsonObject } from '../../src/base/util/json-object.ts'
import type { WriterRequest } from '../../src/bridge/messages.ts'
import { plainTables } from '../../src/data/store/records/record-tables.ts'
import { decide } from '../../src/ingest/indexing/moderation/moderation.ts'
import { sampleDid, sampleList, samplePost, samplesOf } from './lexicon-samples.ts'
import { cardEmbed, DOCUMENT, documentRecord } from './long-form.ts'
import { cidOf } from './records.ts'
import { type Life, wholes } from './wholes.ts'
import type { RecordId, World } from './world.ts'

type Request = WriterRequest extends infer T
  ? T extends unknown
    ? Omit<T, 'id' | 'did'>
    : never
  : never

/** All accounts are known to the world, and `did` and `friend` are members. */
export function liveCompleteLife(world: World, life: Life): void {
  const theirs = actsOfFriend(world, life)
  const post = writeRecords(world, life, theirs)
  writeOtherRecords(world, life, { post, list: theirs.list })
  writePrivateState(world, life, theirs.post)
  noteAbout(world, life, post)
  for (const { live } of wholes) live?.(world, life)
}

type Theirs = ReturnType<typeof actsOfFriend>

function actsOfFriend(world: World, { did, friend }: Life) {
  world.follow(friend, did)
  const [post, list] = [world.post(friend), world.list(friend, 'theirs')]
  world.listItem(friend, list, did)
  world.request({ id: 1, did: friend, kind: 'mute', subjectDid: did })
  world.block(world.account('person-3'), did)
  world.create(friend, 'app.bsky.graph.verification', {
    subject: did,
    handle: 'alice.test',
    displayName: 'Alice',
  })
  const generator = world.create(friend, 'app.bsky.feed.generator', {
    did: 'did:web:feeds.test',
    displayName: 'theirs',
  })
  const article = stampedArticle(world, friend)
  return { post, list, generator, article, repost: world.repost(friend, post) }
}

/** An article whose version is known before it is written. */
function stampedArticle(world: World, did: string) {
  const write = () =>
    world.write({
      did,
      collection: DOCUMENT,
      rkey: '3kaaaaaaaaaaa',
      record: documentRecord('https://blog.example.org'),
      operation: 'update',
    })
  const [event] = world.hold(() => void write())
  const { cid } = event as unknown as RecordId
  return { ref: { uri: `at://${did}/${DOCUMENT}/3kaaaaaaaaaaa`, cid }, write }
}

function writeRecords(world: World, { did, friend }: Life, theirs: Theirs): RecordId {
  const single = (collection: string, record: object) =>
    world.create(did, collection, record as never, 'self')
  world.profile(did, { displayName: `I am ${did}` })
  const post = world.post(did, { text: `by ${did}`, facets: [mentionOf(friend)] })
  const reply = world.post(did, { reply: { parent: post } })
  world.post(did, { reply: { parent: reply, root: post } })
  world.post(did, { reply: { parent: theirs.post } })
  world.post(did, { quote: theirs.post })
  const article = stampedArticle(world, did)
  for (const value of [did, friend]) {
    world.post(value, { embed: cardEmbed([article.ref, theirs.article.ref]) })
  }
  article.write()
  theirs.article.write()
  world.threadgate(post, [])
  world.postgate(post)
  const via = { via: { uri: theirs.repost.uri, cid: theirs.repost.cid } }
  world.create(did, 'app.bsky.feed.like', { subject: theirs.post, ...via })
  world.create(did, 'app.bsky.feed.like', { subject: theirs.generator })
  const repost = world.repost(did, theirs.post)
  world.follow(did, friend)
  world.block(did, world.account('person-1'))
  world.create(did, 'app.bsky.graph.block', { subject: world.account('person-2'), odd: did })
  const list = world.list(did, `of ${did}`)
  world.listItem(did, list, friend)
  world.listBlock(did, theirs.list)
  world.create(did, 'app.bsky.feed.generator', { did: 'did:web:feeds.test', displayName: 'mine' })
  world.create(did, 'app.bsky.graph.starterpack', { name: 'mine', list: list.uri })
  single('app.bsky.labeler.service', { policies: { labelValues: ['rude'] } })
  single('app.bsky.actor.status', { status: 'busy' })
  single('chat.bsky.actor.declaration', { allowIncoming: 'all' })
  world.delete(world.post(did))
  world.like(friend, post)
  const other = world.account('person-3')
  world.create(other, 'app.bsky.feed.like', { subject: theirs.post, via: repost })
  world.post(friend, { reply: { parent: post } })
  return post
}

const lexicons = new Lexicons(documents as unknown as LexiconDoc[])

/** Records of the types with a plain table that nothing above has written: as their lexicons say, one by either. */
function writeOtherRecords(
  world: World,
  { did, friend }: Life,
  { post, list }: { post: RecordId; list: RecordId },
): void {
  for (const [table, { collection }] of Object.entries(plainTables)) {
    if (world.db.prepare(`SELECT 1 FROM ${table}`).get()) continue
    const [sample] = samplesOf(lexicons, collection)
    for (const [by, about] of [
      [did, friend],
      [friend, did],
    ] as const) {
      const record = JSON.stringify(sample)
        .replaceAll(samplePost, post.uri)
        .replaceAll(sampleList, list.uri)
        .replaceAll(sampleDid, about)
      world.create(by, collection, JSON.parse(record) as JsonObject)
    }
  }
}

function mentionOf(did: string) {
  const features = [{ $type: 'app.bsky.richtext.facet#mention', did }]
  return { index: { byteStart: 0, byteEnd: 2 }, features }
}

function writePrivateState(world: World, { did, friend }: Life, post: RecordId): void {
  const ask = (request: Request) => world.request({ ...request, id: 1, did } as WriterRequest)
  world.request({ id: 1, did: friend, kind: 'bookmark', ...post })
  const subscription = { subject: did, post: true, reply: true }
  world.request({ id: 1, did: friend, kind: 'activity-subscription', ...subscription })
  ask({ kind: 'mute', subjectDid: world.account('person-1') })
  ask({ kind: 'mute-list', list: `at://${friend}/app.bsky.graph.list/3kaaaaaaaaa2a` })
  ask({ kind: 'mute-thread', root: post.uri })
  ask({ kind: 'bookmark', ...post })
  ask({ kind: 'create-draft', draftId: '3kaaaaaaaaa2a', draft: JSON.stringify({ posts: [] }) })
  ask({ kind: 'actor-preferences', preferences: JSON.stringify([{ mine: did }]) })
  ask({ kind: 'notification-priority', priority: true })
  ask({ kind: 'activity-subscription', subject: friend, post: true, reply: false })
  ask({ kind: 'identity-found', identity: JSON.stringify({ did }), asOf: world.now() })
}

/** Rows that other parts of the server write about an account; `:uid`, `:did`, `:post`, `:now`. */
const NOTES = [
  "admissions (did, code, admitted_at) VALUES (:did, 'code', :now)",
  'labelers (uid, named_at, named_by) VALUES (:labeler, :now, :uid)',
  'labels (uid, collection, rkey, src, val, neg, cts_ms) VALUES (:uid, 0, :none, :labeler, :val, 0, :now)',
  'brought (uid, member, kb, ends_at) VALUES (:friend, :uid, 1, :now + 1000), (:uid, :uid, 1, :now + 1000)',
  'feed_depths (uid, collection, oldest_at, pages) VALUES (:uid, 1, :now, 0)',
  "OR IGNORE backfills (uid, what, finished_at) VALUES (:uid, 'cold-start', :now)",
  'OR IGNORE replay_accounts (uid, wanted_at) VALUES (:uid, :now)',
  'earlier_actor_counts VALUES (:uid, 1, 1, 1, :now)',
  'earlier_post_counts VALUES (:post, 1, 1, 1, 1, :now)',
  'keyless_follows VALUES (:uid)',
  'unfollows VALUES (:uid, :friend, :now)',
  "gaps (host, uid, from_us, to_us, cause, found_at) VALUES ('', :uid, 1, 2, 'sync', :now)",
  "OR IGNORE jobs (kind, subject, priority) VALUES ('identity', :uid, 1)",
]

function noteAbout(world: World, { did, friend, labeler }: Life, post: RecordId): void {
  world.handle(did, `handle-of-${did.slice(-4)}.test`)
  const rkey = packRkey(post.uri.split('/').at(-1)!)
  const uid = world.uid(did)
  const values = {
    uid,
    did,
    rkey,
    val: 'rude',
    none: '',
    now: world.now(),
    friend: world.uid(friend),
    labeler: world.uid(labeler),
    post: world.db
      .prepare('SELECT id FROM posts WHERE uid = ? AND rkey = ?')
      .pluck()
      .get(uid, rkey),
  }
  world.run(({ db }) => {
    for (const note of NOTES) {
      const [, or = '', rest] = /^(OR IGNORE )?(.*)$/.exec(note)!
      db.prepare(`INSERT ${or}INTO ${rest}`).run(values)
    }
  })
  const by = { by: 'operator', reason: `about ${did}` }
  world.run((ctx) => decide(ctx, { act: 'tag', subject: did, tag: 'seen', ...by }))
  world.run((ctx) => decide(ctx, { act: 'hide', subject: post.uri, blobs: [cidOf(1)], ...by }))
}
