// The follow graph in shared memory: both directions, one writer, any number of reading threads. Each
// direction is an `Adjacency`; both take their pieces from one pool. A change marks the creator's follows and
// the subject's followers in the versions, so a reader retries only if the sets it read have changed
// meanwhile. `handle` holds everything readers need and can be passed through `workerData`.

import { assert } from '../assert.ts'
import { OwnerVersionsReader, OwnerVersionsWriter } from '../shared-memory/owner-versions.ts'
import { SharedInts } from '../shared-memory/shared-ints.ts'
import { Adjacency, AdjacencyView } from './adjacency.ts'
import { buildFollowers, sortedKeys } from './build-graph.ts'
import { dumpGraph, loadGraph } from './graph-image.ts'
import { type ImageChunk, ImageError } from './image-chunks.ts'
import { countCommon, pageCommon, type SetOf } from './intersection.ts'
import { SlabPool } from './slab-pool.ts'
import type { EdgeRun, FollowGraphReader, NewFollowGraph } from './types.ts'
import * as order from './uid-order.ts'

// Local constants, so that they are compiled in; see sorted-slots.ts.
const { EMPTY, keyOf } = order

/** The parts of a follow graph that threads share: cloneable, nothing is copied. */
export type FollowGraphHandle = {
  versions: SharedArrayBuffer
  counts: SharedArrayBuffer
  memory: SharedArrayBuffer
  followsHeads: SharedArrayBuffer
  followersHeads: SharedArrayBuffer
}

type FollowGraphOptions = {
  /** Highest uid that can have edges. Reserves only address space. */
  maxUid?: number
  /** Approximate number of edges to reserve address space for. */
  maxEdges?: number
}

/** How the graph's memory is used. */
type FollowGraphUsage = {
  edges: number
  /** Bytes cut from memory for sets, in use or free. */
  poolBytes: number
  /** The free part of them. */
  freeBytes: number
  headBytes: number
}

const DEFAULT_MAX_UID = 100_000_000
const DEFAULT_MAX_EDGES = 750_000_000
/** Covers both directions, with gaps and free pieces. */
const INTS_PER_EDGE = 2.8
const EDGES = 0

export class SharedFollowGraph implements NewFollowGraph {
  readonly handle: FollowGraphHandle
  readonly #versions = new OwnerVersionsWriter()
  readonly #counts = new Int32Array(new SharedArrayBuffer(64))
  readonly #pool: SlabPool
  readonly #follows: Adjacency
  readonly #followers: Adjacency
  readonly #maxUid: number
  #highestUid = 0
  /** Loaded from an image whose sets may be from different moments; see `settled`. */
  #isSettling = false

  constructor(options: FollowGraphOptions = {}) {
    this.#maxUid = options.maxUid ?? DEFAULT_MAX_UID
    const maxEdges = options.maxEdges ?? DEFAULT_MAX_EDGES
    const maxInts = Math.min(2 ** 31 - 65_536, Math.ceil(maxEdges * INTS_PER_EDGE) + 131_072)
    this.#pool = new SlabPool(maxInts)
    this.#follows = new Adjacency(this.#pool, this.#maxUid)
    this.#followers = new Adjacency(this.#pool, this.#maxUid)
    this.handle = {
      versions: this.#versions.buffer,
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
    return subject !== 0 && this.#follows.has(creator, keyOf(subject))
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
    return pageCommon(this.#followsOf(viewer), this.#followersOf(subject), keyOf(after), out)
  }

  knownFollowersCount(viewer: number, subject: number): number {
    return countCommon(this.#followsOf(viewer), this.#followersOf(subject))
  }

  add(creator: number, subject: number): boolean {
    this.#admit(creator, subject)
    this.#versions.begin(followsVersion(creator), followersVersion(subject))
    const isNew = this.#follows.add(creator, keyOf(subject))
    if (isNew || this.#isSettling) {
      const isNewBehind = this.#followers.add(subject, keyOf(creator))
      assert(isNewBehind || this.#isSettling, 'the two directions of the follow graph disagree')
    }
    if (isNew) this.#counts[EDGES]!++
    this.#versions.end()
    return isNew
  }

  remove(creator: number, subject: number): boolean {
    this.#admit(creator, subject)
    this.#versions.begin(followsVersion(creator), followersVersion(subject))
    const wasThere = this.#follows.remove(creator, keyOf(subject))
    if (wasThere || this.#isSettling) {
      const wasThereBehind = this.#followers.remove(subject, keyOf(creator))
      assert(wasThereBehind || this.#isSettling, 'the two directions of the follow graph disagree')
    }
    if (wasThere) this.#counts[EDGES]!--
    this.#versions.end()
    return wasThere
  }

  /**
   * Publishes a run of changes together, a few hundred at a time. Each is cheaper this way, but
   * readers of the accounts involved wait for the run, so it must be quick and must not wait
   * itself.
   */
  batch(run: () => void): void {
    this.#versions.hold()
    try {
      run()
    } finally {
      this.#versions.release()
    }
  }

  changeAll({ creators, subjects, added, count }: EdgeRun): void {
    if (count > 1) {
      this.#follows.prefetch(creators, subjects, count)
      this.#followers.prefetch(subjects, creators, count)
    }
    this.batch(() => {
      for (let i = 0; i < count; i++) {
        if (added[i] === 1) this.add(creators[i]!, subjects[i]!)
        else this.remove(creators[i]!, subjects[i]!)
      }
    })
  }

  /**
   * Adds whole lists of follows at once, each creator's once, to a new graph that no other thread
   * reads yet; derives the followers at the end. Needs eight bytes per account besides the graph
   * itself, and a fraction of the time of as many calls to `add`.
   * @param lists - creator, and subjects in any order.
   * @param highestUid - the highest uid among them.
   */
  build(lists: Iterable<[creator: number, subjects: Uint32Array]>, highestUid: number): void {
    assert(this.edgeCount === 0 && this.#highestUid === 0, 'only a new graph is built')
    if (highestUid === 0) return
    this.#admit(1, highestUid)
    this.#follows.highestUid = this.#followers.highestUid = highestUid
    for (const [creator, subjects] of lists) {
      assert(creator > 0 && creator <= highestUid, 'a uid is out of range')
      const keys = sortedKeys(subjects)
      this.#follows.fill(creator, keys, 0, keys.length)
      this.#counts[EDGES]! += keys.length
    }
    buildFollowers(this.#follows, this.#followers, highestUid)
  }

  /**
   * An image of the graph in chunks of half a mebibyte, to be restored by `loadFollowGraph`. The
   * graph may be changed between two chunks: each account's sets are from some moment between the
   * first chunk and the last. So callers that keep the image must also keep the changes made
   * meanwhile, and repeat them after loading it.
   */
  dump(): Generator<ImageChunk> {
    return dumpGraph(this.#follows, this.#followers, () => this.#highestUid)
  }

  /** @throws ImageError; this graph, which must be new, is then unusable. */
  load(chunks: Iterable<{ bytes: Uint8Array }>, maxUid: number): void {
    assert(this.edgeCount === 0 && this.#highestUid === 0, 'an image is loaded into a new graph')
    if (maxUid > this.#maxUid) throw new ImageError('there are too many accounts')
    this.#isSettling = true
    this.#admit(1, Math.max(1, maxUid))
    this.#counts[EDGES] = loadGraph(chunks, {
      follows: this.#follows,
      followers: this.#followers,
      maxUid,
    })
  }

  /**
   * Called once the changes made while the image was taken have been repeated: from now on, both
   * directions must agree. @throws InvariantError if their numbers of edges differ.
   */
  settled(): void {
    let edges = 0
    for (let uid = 0; uid <= this.#highestUid; uid++) edges += this.#followers.count(uid)
    if (edges !== this.edgeCount) throw new ImageError('the image does not fit its journal')
    this.#isSettling = false
  }

  #followsOf(owner: number): SetOf {
    return { sets: this.#follows, owner }
  }

  #followersOf(owner: number): SetOf {
    return { sets: this.#followers, owner }
  }

  #admit(creator: number, subject: number): void {
    const highest = creator > subject ? creator : subject
    if (highest > this.#highestUid) {
      assert(highest <= this.#maxUid, 'a uid is out of range')
      this.#highestUid = highest
      this.#follows.highestUid = highest
      this.#followers.highestUid = highest
    }
    assert(creator > 0 && subject > 0, 'a uid is out of range')
  }
}

class SharedFollowGraphReader implements FollowGraphReader {
  readonly #versions: OwnerVersionsReader
  readonly #counts: Int32Array<SharedArrayBuffer>
  readonly #follows: AdjacencyView
  readonly #followers: AdjacencyView

  constructor(handle: FollowGraphHandle) {
    const memory = new SharedInts(handle.memory)
    this.#versions = new OwnerVersionsReader(handle.versions)
    this.#counts = new Int32Array(handle.counts)
    this.#follows = new AdjacencyView(new SharedInts(handle.followsHeads), memory)
    this.#followers = new AdjacencyView(new SharedInts(handle.followersHeads), memory)
  }

  get edgeCount(): number {
    return Atomics.load(this.#counts, EDGES)
  }

  has(creator: number, subject: number): boolean {
    if (subject === 0) return false
    const key = keyOf(subject)
    const owner = followsVersion(creator)
    for (let attempt = 0; ; attempt++) {
      const started = this.#versions.start(owner)
      const found = this.#follows.has(creator, key)
      if (this.#versions.isUntouched(owner, started)) return found
      this.#versions.pause(owner, attempt)
    }
  }

  followsCount(creator: number): number {
    return this.#follows.count(creator)
  }

  followersCount(subject: number): number {
    return this.#followers.count(subject)
  }

  follows(creator: number, after: number, out: Uint32Array): number {
    return this.#page(this.#follows, creator, followsVersion(creator), after, out)
  }

  followers(subject: number, after: number, out: Uint32Array): number {
    return this.#page(this.#followers, subject, followersVersion(subject), after, out)
  }

  knownFollowers(viewer: number, subject: number, after: number, out: Uint32Array): number {
    return this.#common(viewer, subject, keyOf(after), out)
  }

  knownFollowersCount(viewer: number, subject: number): number {
    return this.#common(viewer, subject, EMPTY, undefined)
  }

  #page(
    sets: AdjacencyView,
    owner: number,
    version: number,
    after: number,
    out: Uint32Array,
  ): number {
    for (let attempt = 0; ; attempt++) {
      const started = this.#versions.start(version)
      const count = sets.page(owner, keyOf(after), out)
      if (this.#versions.isUntouched(version, started)) return count
      this.#versions.pause(version, attempt)
    }
  }

  #common(viewer: number, subject: number, after: number, out: Uint32Array | undefined): number {
    const follows = { sets: this.#follows, owner: viewer }
    const followers = { sets: this.#followers, owner: subject }
    const [first, second] = [followsVersion(viewer), followersVersion(subject)]
    for (let attempt = 0; ; attempt++) {
      const firstStarted = this.#versions.start(first)
      const secondStarted = this.#versions.start(second)
      const count = out
        ? pageCommon(follows, followers, after, out)
        : countCommon(follows, followers)
      if (!this.#versions.isUntouched(first, firstStarted)) this.#versions.pause(first, attempt)
      else if (this.#versions.isUntouched(second, secondStarted)) return count
      else this.#versions.pause(second, attempt)
    }
  }
}

/** An account's two sets have separate versions. */
function followsVersion(creator: number): number {
  return creator * 2
}

function followersVersion(subject: number): number {
  return subject * 2 + 1
}

export function createFollowGraph(options: FollowGraphOptions = {}): SharedFollowGraph {
  return new SharedFollowGraph(options)
}

/**
 * Builds a graph from the chunks of `dump`, in order, at about the speed at which they are read.
 * Afterwards, repeat the changes made since the image was begun, and call `settled`.
 * @param maxUid - the highest existing uid: an image with more accounts is foreign.
 * @throws ImageError if the image is torn, foreign, or of another build.
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
