// Writes a social world into a database as rows, the way indexing would leave them, and returns graph readers
// over it. Written for tests of hydration and views: it shares no code with either.

import type { FollowGraphReader } from '@slipstream/follow-graph'
import {
  collectionCodes,
  type RecordCollection,
  recordCollections,
} from '../../src/base/atproto/collections.ts'
import { packCid, packRkey } from '../../src/base/atproto/keys.ts'
import type { ActorReader } from '../../src/data/graph/types.ts'
import type { WriteDb } from '../../src/data/store/db.ts'
import { blockEdges, followEdges, likeEdges } from '../../src/data/store/edges/all-edges.ts'
import type { EdgeTable } from '../../src/data/store/edges/edge-table.ts'
import { VIOLATES_THREADGATE } from '../../src/data/store/posts/post-flags.ts'
import { insertBookmark } from '../../src/data/store/private/bookmarks.ts'
import { statusCode } from '../../src/data/store/records/status.ts'
import type { World, WorldRecord } from './social-world.ts'

export type WrittenWorld = {
  uid(did: string): number
  /** posts.id */
  post(uri: string): number
  /** reposts.id */
  repost(uri: string): number
  /** The account's position in the graph's order. */
  order(did: string): number
  actors: ActorReader
  graph: FollowGraphReader
}

type Write = {
  db: WriteDb
  world: World
  uids: Map<string, number>
  posts: Map<string, number>
  lists: Map<string, number>
  reposts: Map<string, number>
  records: Map<string, number>
}

export function writeRows(db: WriteDb, world: World): WrittenWorld {
  const write: Write = {
    db,
    world,
    uids: new Map(),
    posts: new Map(),
    lists: new Map(),
    reposts: new Map(),
    records: new Map(),
  }
  db.transaction(() => {
    for (const { did } of world.accounts.values()) uidOf(write, did)
    for (const record of world.records.values()) writers[record.collection]?.(write, record)
    writePrivateState(write)
    db.exec(
      'UPDATE lists SET people = (SELECT count(DISTINCT subject) FROM list_items WHERE list = lists.id)',
    )
  })()
  return {
    uid: (did) => uidOf(write, did),
    post: (uri) => postOf(write, uri),
    repost: (uri) => write.reposts.get(uri) ?? 0,
    order: (did) => uidOf(write, did),
    actors: actorReader(write),
    graph: graphReader(write),
  }
}

function writePrivateState(write: Write): void {
  const { db, world } = write
  const split = (pair: string) => pair.split(' ') as [string, string]
  for (const [pair, scope] of world.mutes) {
    const [did, subject] = split(pair)
    const mute = { uid: uidOf(write, did), subject: uidOf(write, subject), scope }
    insert(db, 'mutes', { ...mute, created_at: 1 })
  }
  for (const [did, list] of [...world.listMutes].map(split)) {
    const mute = { uid: uidOf(write, did), list: listOf(write, list) }
    insert(db, 'list_mutes', { ...mute, created_at: 1 })
  }
  for (const [did, post] of [...world.bookmarks].map(split)) {
    const bookmark = { uid: uidOf(write, did), post: postOf(write, post), cid: '', createdAt: 1 }
    insertBookmark(db, bookmark)
  }
}

type Value = { [key: string]: unknown }
type Ref = { uri: string }

const writers: Record<string, (write: Write, record: WorldRecord) => void> = {
  'app.bsky.actor.profile': (write, record) => {
    insert(write.db, 'profiles', {
      uid: uidOf(write, record.did),
      ...content(record),
      created_at: Date.parse(record.value['createdAt'] as string),
      indexed_at: record.indexedAt,
    })
  },
  'app.bsky.feed.post': writePost,
  'app.bsky.feed.repost': (write, record) => {
    const id = insert(write.db, 'reposts', {
      ...keyed(write, record),
      subject: postOf(write, (record.value['subject'] as Ref).uri),
      cid: packCid(record.cid),
      created_at: Date.parse(record.value['createdAt'] as string),
      indexed_at: record.indexedAt,
      sort_at: sortAt(record),
    })
    write.reposts.set(record.uri, id)
  },
  'app.bsky.feed.like': (write, record) => {
    const { uri } = record.value['subject'] as Ref
    if (POST_URI.test(uri)) writeEdge(write, record, likeEdges, postOf(write, uri))
    else writeRecordLike(write, record, uri)
  },
  'app.bsky.graph.follow': (write, record) => writePair(write, record, followEdges),
  'app.bsky.graph.block': (write, record) => writePair(write, record, blockEdges),
  'app.bsky.graph.list': (write, record) => {
    const { purpose } = record.value
    const row = { ...content(record), purpose, sort_at: sortAt(record) }
    write.db
      .prepare(
        'UPDATE lists SET cid = @cid, record = @record, purpose = @purpose, sort_at = @sort_at WHERE id = @id',
      )
      .run({ ...row, id: listOf(write, record.uri) })
  },
  'app.bsky.graph.listitem': (write, record) => {
    const list = listOf(write, record.value['list'] as string)
    const subject = uidOf(write, record.value['subject'] as string)
    insert(write.db, 'list_items', {
      ...keyed(write, record),
      list,
      subject,
      sort_at: sortAt(record),
    })
  },
  'app.bsky.graph.listblock': (write, record) => {
    const list = listOf(write, record.value['subject'] as string)
    insert(write.db, 'list_blocks', { ...keyed(write, record), list, sort_at: sortAt(record) })
  },
  'app.bsky.feed.threadgate': (write, record) => writeGate(write, record, 'threadgates'),
  'app.bsky.feed.postgate': (write, record) => writeGate(write, record, 'postgates'),
}

for (const collection of recordCollections) writers[collection] = writeRecord

function writeRecord(write: Write, record: WorldRecord): void {
  const { subject } = record.value
  const row = {
    ...content(record),
    created_at: sortAt(record),
    sort_at: sortAt(record),
    subject: subject === undefined ? null : uidOf(write, subject as string),
    likes: countsOf(write.world, record.uri).likes,
  }
  const columns = Object.keys(row).map((column) => `${column} = @${column}`)
  write.db
    .prepare(`UPDATE records SET ${columns} WHERE id = @id`)
    .run({ ...row, id: recordRowOf(write, record.uri) })
}

function writeRecordLike(write: Write, record: WorldRecord, uri: string): void {
  const like = { ...keyed(write, record), subject: recordRowOf(write, uri) }
  insert(write.db, 'record_likes', { ...like, created_at: sortAt(record) })
}

function recordRowOf(write: Write, uri: string): number {
  const collection = collectionCodes[uri.split('/')[3] as RecordCollection]
  return rowOf(write, uri, { table: 'records', known: write.records, blank: { collection } })
}

const POST_URI = /^at:\/\/did:[^/]+\/app\.bsky\.feed\.post\/[^/]+$/

function writePost(write: Write, record: WorldRecord): void {
  const reply = record.value['reply'] as { root: Ref; parent: Ref } | undefined
  const quoted = quotedUri(record.value['embed'] as Value | undefined)
  const idOf = (uri: string | undefined) => (uri && POST_URI.test(uri) ? postOf(write, uri) : null)
  const row = {
    id: postOf(write, record.uri),
    ...content(record),
    created_at: Date.parse(record.value['createdAt'] as string),
    indexed_at: record.indexedAt,
    sort_at: sortAt(record),
    root: idOf(reply?.root.uri),
    parent: idOf(reply?.parent.uri),
    quote: idOf(quoted),
    flags: write.world.flags.get(record.uri) ?? 0,
  }
  const columns = Object.keys(row).filter((column) => column !== 'id')
  write.db
    .prepare(`UPDATE posts SET state = 1, ${columns.map((c) => `${c} = @${c}`)} WHERE id = @id`)
    .run(row)
  insert(write.db, 'post_counts', { post: row.id, ...countsOf(write.world, record.uri) })
}

/** Counts by scanning every record; the reference is given the same counts. */
export function countsOf(world: World, uri: string) {
  const pointing = (collection: string) =>
    world.of(collection).filter(({ value }) => (value['subject'] as Ref).uri === uri).length
  const posts = world.of('app.bsky.feed.post')
  const isOutside = (uri: string) => ((world.flags.get(uri) ?? 0) & VIOLATES_THREADGATE) !== 0
  return {
    likes: pointing('app.bsky.feed.like'),
    reposts: pointing('app.bsky.feed.repost'),
    // A reply that violates the threadgate does not count.
    replies: posts.filter(
      (post) =>
        !isOutside(post.uri) && (post.value['reply'] as { parent: Ref })?.parent.uri === uri,
    ).length,
    quotes: posts.filter(({ value }) => quotedUri(value['embed'] as Value) === uri).length,
  }
}

function quotedUri(embed: Value | undefined): string | undefined {
  if (embed?.['$type'] === 'app.bsky.embed.record') return (embed['record'] as Ref).uri
  if (embed?.['$type'] === 'app.bsky.embed.recordWithMedia') {
    return (embed['record'] as { record: Ref }).record.uri
  }
  return undefined
}

function writePair(write: Write, record: WorldRecord, edges: EdgeTable): void {
  writeEdge(write, record, edges, uidOf(write, record.value['subject'] as string))
}

function writeEdge(write: Write, record: WorldRecord, edges: EdgeTable, subject: number): void {
  const at = sortAt(record)
  edges.insert(write.db, { ...keyed(write, record), subject, sortAt: at, createdAt: at })
}

function writeGate(write: Write, record: WorldRecord, table: string): void {
  const post = postOf(write, record.value['post'] as string)
  insert(write.db, table, { post, ...content(record), indexed_at: record.indexedAt })
}

function keyed(write: Write, record: WorldRecord) {
  return { uid: uidOf(write, record.did), rkey: packRkey(record.rkey) }
}

function content(record: WorldRecord) {
  return { cid: packCid(record.cid), record: Buffer.from(JSON.stringify(record.value)) }
}

function sortAt(record: WorldRecord): number {
  return Math.min(Date.parse(record.value['createdAt'] as string), record.indexedAt)
}

function uidOf(write: Write, did: string): number {
  const known = write.uids.get(did)
  if (known) return known
  const { handle, status } = write.world.accounts.get(did) ?? {}
  const counts = accountCounts(write.world, did)
  const uid = insert(write.db, 'actors', {
    did,
    handle: handle ?? null,
    handle_valid: handle ? 1 : 0,
    status: statusCode(status),
    indexed_at: 1,
    follows_count: counts.follows,
    followers_count: counts.followers,
    posts_count: counts.posts,
  })
  write.uids.set(did, uid)
  return uid
}

export function accountCounts(world: World, did: string) {
  const follows = world.of('app.bsky.graph.follow')
  return {
    follows: follows.filter((follow) => follow.did === did).length,
    followers: follows.filter(({ value }) => value['subject'] === did).length,
    posts: world.of('app.bsky.feed.post').filter((record) => record.did === did).length,
  }
}

function postOf(write: Write, uri: string): number {
  return rowOf(write, uri, { table: 'posts', known: write.posts, blank: { state: 0 } })
}

function listOf(write: Write, uri: string): number {
  return rowOf(write, uri, { table: 'lists', known: write.lists, blank: {} })
}

function rowOf(
  write: Write,
  uri: string,
  { table, known, blank }: { table: string; known: Map<string, number>; blank: Value },
): number {
  const found = known.get(uri)
  if (found) return found
  const [, , did, , rkey] = uri.split('/') as [string, string, string, string, string]
  const id = insert(write.db, table, { uid: uidOf(write, did), rkey: packRkey(rkey), ...blank })
  known.set(uri, id)
  return id
}

function insert(db: WriteDb, table: string, row: Value): number {
  const columns = Object.keys(row)
  const marks = columns.map((column) => `@${column}`)
  const statement = db.prepare(`INSERT INTO ${table} (${columns}) VALUES (${marks})`)
  return Number(statement.run(row).lastInsertRowid)
}

function actorReader({ uids }: Write): ActorReader {
  const dids = [...uids.keys()]
  return {
    count: uids.size,
    uidOf: (did) => uids.get(did) ?? 0,
    didOf: (uid) => {
      const did = dids[uid - 1]
      if (!did) throw new Error(`uid ${uid} was never given out`)
      return did
    },
    hashOf: () => 0,
    flagsOf: () => 0,
    memberFollowersOf: () => 0,
    celebrities: () => [],
    authorMoves: 0,
  }
}

/** Exact only in the calls that hydration makes; pages start above `after`. */
function graphReader({ world, uids }: Write): FollowGraphReader {
  const edges = world
    .of('app.bsky.graph.follow')
    .map(
      (record) =>
        [uids.get(record.did) ?? 0, uids.get(record.value['subject'] as string) ?? 0] as const,
    )
  const has = (creator: number, subject: number) =>
    edges.some(([a, b]) => a === creator && b === subject)
  const page = (all: number[], after: number, out: Uint32Array) => {
    const rest = [...new Set(all)].sort((a, b) => a - b).filter((uid) => uid > after)
    out.set(rest.slice(0, out.length))
    return Math.min(rest.length, out.length)
  }
  const follows = (creator: number) => edges.filter(([a]) => a === creator).map(([, b]) => b)
  const followers = (subject: number) => edges.filter(([, b]) => b === subject).map(([a]) => a)
  const known = (viewer: number, subject: number) =>
    [...new Set(follows(viewer))].filter((uid) => has(uid, subject))
  return {
    edgeCount: new Set(edges.map(String)).size,
    has,
    followsCount: (creator) => new Set(follows(creator)).size,
    followersCount: (subject) => new Set(followers(subject)).size,
    follows: (creator, after, out) => page(follows(creator), after, out),
    followers: (subject, after, out) => page(followers(subject), after, out),
    knownFollowers: (viewer, subject, after, out) => page(known(viewer, subject), after, out),
    knownFollowersCount: (viewer, subject) => known(viewer, subject).length,
  }
}
