// The follow graph in shared memory: both directions, one writer, any number of reading threads.
//
// Each direction is an `Adjacency`; both take their pieces from one pool. A change names creator and
// subject in the change log, so a reader looks again only if its own account was changed meanwhile.
// A set that must move to a larger or smaller piece is copied first, unseen, and swapped in then.
// Everything that readers need is in `handle`, which can go through `workerData`.

import { assert } from '../assert.ts'
import { ChangeLogReader, ChangeLogWriter, EVERYTHING, UNREAD } from '../memory/change-log.ts'
import { SharedInts } from '../memory/shared-ints.ts'
import { Adjacency, AdjacencyView } from './adjacency.ts'
import { type ImageChunk, ImageError, openImage, sealImage } from './image-chunks.ts'
import { COUNT_BITS, COUNT_MASK, capacities, rooms } from './size-classes.ts'
import { POOL_STATE_INTS, SlabPool } from './slab-pool.ts'
import type { FollowGraphReader, FollowGraphWriter } from './types.ts'
import { keyOf } from './uid-order.ts'

/** What the threads share of a follow graph: cloneable, nothing is copied. */
export type FollowGraphHandle = {
  log: SharedArrayBuffer
  counts: SharedArrayBuffer
  memory: SharedArrayBuffer
  followsHeads: SharedArrayBuffer
  followersHeads: SharedArrayBuffer
}

export type FollowGraphOptions = {
  /** Highest uid that can have edges. Address space only. */
  maxUid?: number
  /** Edges there is address space for, roughly. */
  maxEdges?: number
}

/** Where the graph's memory is. */
export type FollowGraphUsage = {
  edges: number
  /** Integer places cut from memory for sets, in use or free. */
  poolBytes: number
  /** Of these, free. */
  freeBytes: number
  headBytes: number
}

const DEFAULT_MAX_UID = 100_000_000
const DEFAULT_MAX_EDGES = 750_000_000
/** Both directions, with gaps and free pieces. */
const INTS_PER_EDGE = 2.8
const EDGES = 0
/** Version of what `dump` writes: count up with every change of layout, classes or order. */
const IMAGE_VERSION = 1
/** The first array of an image: edges, highest uid, then the pool's state. */
const SUMMARY_INTS = 2 + POOL_STATE_INTS

export class SharedFollowGraph implements FollowGraphWriter {
  readonly handle: FollowGraphHandle
  readonly #log = new ChangeLogWriter()
  readonly #counts = new Int32Array(new SharedArrayBuffer(64))
  readonly #pool: SlabPool
  readonly #follows: Adjacency
  readonly #followers: Adjacency
  #highestUid = 0
  #changes = 0
  readonly #maxUid: number

  constructor(options: FollowGraphOptions) {
    this.#maxUid = options.maxUid ?? DEFAULT_MAX_UID
    const maxEdges = options.maxEdges ?? DEFAULT_MAX_EDGES
    const maxInts = Math.min(2 ** 31 - 65_536, Math.ceil(maxEdges * INTS_PER_EDGE) + 131_072)
    this.#pool = new SlabPool(maxInts)
    this.#follows = new Adjacency(this.#pool, this.#maxUid)
    this.#followers = new Adjacency(this.#pool, this.#maxUid)
    this.handle = {
      log: this.#log.buffer,
      counts: this.#counts.buffer,
      memory: this.#pool.memory.buffer,
      followsHeads: this.#follows.heads.buffer,
      followersHeads: this.#followers.heads.buffer,
    }
  }

  get edgeCount(): number {
    return this.#counts[EDGES]!
  }

  usage(): FollowGraphUsage {
    return {
      edges: this.edgeCount,
      poolBytes: this.#pool.usedInts * 4,
      freeBytes: this.#pool.freeInts * 4,
      headBytes: (this.#highestUid + 1) * 16,
    }
  }

  has(creator: number, subject: number): boolean {
    return this.#follows.has(creator, keyOf(subject))
  }

  followsCount(creator: number): number {
    return this.#follows.count(creator)
  }

  followersCount(subject: number): number {
    return this.#followers.count(subject)
  }

  follows(creator: number, after: number, out: Uint32Array): number {
    return this.#follows.page(creator, keyOf(after), out)
  }

  followers(subject: number, after: number, out: Uint32Array): number {
    return this.#followers.page(subject, keyOf(after), out)
  }

  knownFollowers(viewer: number, subject: number, after: number, out: Uint32Array): number {
    return common(this.#follows, viewer, this.#followers, subject, keyOf(after), out)
  }

  knownFollowersCount(viewer: number, subject: number): number {
    return common(this.#follows, viewer, this.#followers, subject, keyOf(0), undefined)
  }

  add(creator: number, subject: number): boolean {
    this.#admit(creator, subject)
    const follows = this.#follows
    const followers = this.#followers
    const subjectKey = keyOf(subject)
    const creatorKey = keyOf(creator)
    let at = follows.find(creator, subjectKey)
    if (at >= 0) return false
    if (follows.isFull(creator)) at = this.#makeRoom(follows, creator, subjectKey)
    let followerAt = followers.find(subject, creatorKey)
    assert(followerAt < 0, 'the two directions of the follow graph disagree')
    if (followers.isFull(subject)) followerAt = this.#makeRoom(followers, subject, creatorKey)
    this.#changes++
    this.#log.begin(creator, subject)
    follows.insert(creator, ~at, subjectKey)
    followers.insert(subject, ~followerAt, creatorKey)
    this.#counts[EDGES] = this.#counts[EDGES]! + 1
    this.#log.end()
    return true
  }

  remove(creator: number, subject: number): boolean {
    this.#admit(creator, subject)
    const at = this.#follows.find(creator, keyOf(subject))
    if (at < 0) return false
    const followerAt = this.#followers.find(subject, keyOf(creator))
    assert(followerAt >= 0, 'the two directions of the follow graph disagree')
    this.#changes++
    this.#log.begin(creator, subject)
    this.#follows.remove(creator, at)
    this.#followers.remove(subject, followerAt)
    this.#counts[EDGES] = this.#counts[EDGES]! - 1
    this.#log.end()
    if (this.#follows.isSparse(creator)) {
      this.#resize(this.#follows, creator, this.#follows.smallerClass(creator))
    }
    if (this.#followers.isSparse(subject)) {
      this.#resize(this.#followers, subject, this.#followers.smallerClass(subject))
    }
    return true
  }

  /**
   * An image of the whole graph in chunks of at most 4 MiB, which `loadFollowGraph` takes back.
   * Nothing is copied ahead: the image is of one moment only if the graph is not changed between
   * the first chunk and the last, so walk it between two batches of changes.
   * @throws InvariantError at the next chunk after a change.
   */
  *dump(): Generator<ImageChunk> {
    const edges = this.edgeCount
    const changes = this.#changes
    const state = this.#pool.state()
    const headInts = (this.#highestUid + 1) * 2
    this.#follows.heads.ensure(headInts)
    this.#followers.heads.ensure(headInts)
    const arrays = [
      Int32Array.of(edges, this.#highestUid, ...state),
      this.#follows.heads.ints.subarray(0, headInts),
      this.#followers.heads.ints.subarray(0, headInts),
      this.#pool.memory.ints.subarray(0, this.#pool.usedInts),
    ]
    for (const chunk of sealImage(IMAGE_VERSION, arrays)) {
      assert(this.#changes === changes, 'the graph was changed while its image was taken')
      yield chunk
    }
  }

  /** @throws ImageError; this graph, which must be new, is then worthless. */
  load(chunks: Iterable<{ bytes: Uint8Array }>, maxUid: number): void {
    assert(this.#changes === 0, 'an image can only be loaded into a new graph')
    const summary = new Int32Array(SUMMARY_INTS)
    this.#log.begin(EVERYTHING, EVERYTHING)
    openImage(IMAGE_VERSION, chunks, (lengths) => this.#makeRoomFor(lengths, summary))
    this.#pool.restore(summary.subarray(2))
    this.#highestUid = summary[1]!
    this.#counts[EDGES] = summary[0]!
    this.#log.end()
    this.#checkImage(Math.min(maxUid, this.#maxUid))
  }

  #makeRoomFor(lengths: Int32Array, summary: Int32Array): Int32Array[] {
    const [summaryInts, followsInts, followersInts, poolInts] = lengths
    const isRight = lengths.length === 4 && summaryInts === SUMMARY_INTS
    const limit = (this.#maxUid + 1) * 2
    if (!isRight || followsInts !== followersInts || followsInts! > limit) {
      throw new ImageError('the image is of another kind, or too large')
    }
    if (poolInts! * 4 > this.handle.memory.maxByteLength) throw new ImageError('it is too large')
    const { memory } = this.#pool
    for (const { heads } of [this.#follows, this.#followers]) heads.ensure(followsInts!)
    memory.ensure(poolInts!)
    return [
      summary,
      this.#follows.heads.ints.subarray(0, followsInts),
      this.#followers.heads.ints.subarray(0, followersInts),
      memory.ints.subarray(0, poolInts),
    ]
  }

  /** Whether the parts of the image agree: every set inside the memory, both sums the edge count. */
  #checkImage(maxUid: number): void {
    if (this.#highestUid > maxUid) throw new ImageError('it has accounts that are not ours')
    for (const { heads } of [this.#follows, this.#followers]) {
      const edges = sumOfSets(heads.ints, this.#highestUid, this.#pool.usedInts)
      if (edges !== this.edgeCount) throw new ImageError('its sets do not add up')
    }
  }

  #admit(creator: number, subject: number): void {
    const highest = creator > subject ? creator : subject
    if (highest > this.#highestUid) this.#highestUid = highest
    assert(creator > 0 && subject > 0 && highest <= this.#maxUid, 'a uid is out of range')
  }

  /** @returns where `key` goes in the larger piece. */
  #makeRoom(direction: Adjacency, owner: number, key: number): number {
    this.#resize(direction, owner, direction.largerClass(owner))
    return direction.find(owner, key)
  }

  #resize(direction: Adjacency, owner: number, sizeClass: number): void {
    const piece = direction.prepare(owner, sizeClass)
    this.#log.begin(owner, owner)
    direction.move(owner, piece, sizeClass)
    this.#log.end()
  }
}

export class SharedFollowGraphReader implements FollowGraphReader {
  readonly #log: ChangeLogReader
  readonly #counts: Int32Array<SharedArrayBuffer>
  readonly #follows: AdjacencyView
  readonly #followers: AdjacencyView

  constructor(handle: FollowGraphHandle) {
    const memory = new SharedInts(handle.memory)
    this.#log = new ChangeLogReader(handle.log)
    this.#counts = new Int32Array(handle.counts)
    this.#follows = new AdjacencyView(new SharedInts(handle.followsHeads), memory)
    this.#followers = new AdjacencyView(new SharedInts(handle.followersHeads), memory)
  }

  get edgeCount(): number {
    return Atomics.load(this.#counts, EDGES)
  }

  has(creator: number, subject: number): boolean {
    const key = keyOf(subject)
    for (let attempt = 0; ; attempt++) {
      const started = this.#log.start()
      const found = this.#follows.has(creator, key)
      if (this.#log.untouched(started, creator, UNREAD)) return found
      this.#log.pause(attempt)
    }
  }

  followsCount(creator: number): number {
    return this.#follows.count(creator)
  }

  followersCount(subject: number): number {
    return this.#followers.count(subject)
  }

  follows(creator: number, after: number, out: Uint32Array): number {
    for (let attempt = 0; ; attempt++) {
      const started = this.#log.start()
      const count = this.#follows.page(creator, keyOf(after), out)
      if (this.#log.untouched(started, creator, UNREAD)) return count
      this.#log.pause(attempt)
    }
  }

  followers(subject: number, after: number, out: Uint32Array): number {
    for (let attempt = 0; ; attempt++) {
      const started = this.#log.start()
      const count = this.#followers.page(subject, keyOf(after), out)
      if (this.#log.untouched(started, UNREAD, subject)) return count
      this.#log.pause(attempt)
    }
  }

  knownFollowers(viewer: number, subject: number, after: number, out: Uint32Array): number {
    return this.#common(viewer, subject, keyOf(after), out)
  }

  knownFollowersCount(viewer: number, subject: number): number {
    return this.#common(viewer, subject, keyOf(0), undefined)
  }

  #common(viewer: number, subject: number, after: number, out: Uint32Array | undefined): number {
    for (let attempt = 0; ; attempt++) {
      const started = this.#log.start()
      const count = common(this.#follows, viewer, this.#followers, subject, after, out)
      if (this.#log.untouched(started, viewer, subject)) return count
      this.#log.pause(attempt)
    }
  }
}

/** @throws ImageError where a set does not lie inside the `usedInts` integers of the pool. */
function sumOfSets(heads: Int32Array, highestUid: number, usedInts: number): number {
  let sum = 0
  for (let uid = 0; uid <= highestUid; uid++) {
    const base = heads[uid * 2]!
    const size = heads[uid * 2 + 1]!
    const sizeClass = size >>> COUNT_BITS
    const count = size & COUNT_MASK
    const fits =
      base >= 0 && base + capacities[sizeClass]! <= usedInts && count <= rooms[sizeClass]!
    if (!fits) throw new ImageError(`the set of uid ${uid} does not fit`)
    sum += count
  }
  return sum
}

/** Walks the smaller of the two sets, looking up in the larger; the order is the same either way. */
function common(
  follows: AdjacencyView,
  viewer: number,
  followers: AdjacencyView,
  subject: number,
  after: number,
  out: Uint32Array | undefined,
): number {
  return follows.count(viewer) <= followers.count(subject)
    ? follows.common(viewer, followers, subject, after, out)
    : followers.common(subject, follows, viewer, after, out)
}

export function createFollowGraph(options: FollowGraphOptions = {}): SharedFollowGraph {
  return new SharedFollowGraph(options)
}

/**
 * A graph from the chunks of `dump`, in their order, at about the speed they are read.
 * @param maxUid - the highest uid there is: an image that knows more accounts is foreign.
 * @throws ImageError where the image is torn, foreign, or of another build.
 */
export function loadFollowGraph(
  chunks: Iterable<{ bytes: Uint8Array }>,
  maxUid: number,
  options: FollowGraphOptions = {},
): SharedFollowGraph {
  const graph = new SharedFollowGraph(options)
  graph.load(chunks, maxUid)
  return graph
}

export function openFollowGraph(handle: FollowGraphHandle): FollowGraphReader {
  return new SharedFollowGraphReader(handle)
}
