// The follow graph as a stream of integers (image-chunks.ts): for each account its follows and its followers,
// each as a count followed by the keys, ascending. It does not copy the pool's layout, so an account's sets
// can be written at any moment while others change, and are read into pieces of the right size.

import type { Adjacency } from './adjacency.ts'
import { type ImageChunk, ImageError, ImageReader, sealImage } from './image-chunks.ts'

/** Version of the stream; increment on every change to it or to the accounts' order. */
const IMAGE_VERSION = 2
const SCRATCH_INTS = 1 << 14

export function dumpGraph(
  follows: Adjacency,
  followers: Adjacency,
  highestUid: () => number,
): Generator<ImageChunk> {
  return sealImage(IMAGE_VERSION, partsOf(follows, followers, highestUid))
}

/**
 * Copies of the sets, with many small ones combined; a large one is copied whole, at one moment.
 */
function* partsOf(
  follows: Adjacency,
  followers: Adjacency,
  highestUid: () => number,
): Generator<Int32Array> {
  const accounts = highestUid()
  yield Int32Array.of(accounts)
  let scratch = new Int32Array(SCRATCH_INTS)
  let filled = 0
  for (let uid = 1; uid <= accounts; uid++) {
    const length = follows.count(uid) + followers.count(uid) + 2
    if (filled + length > scratch.length) {
      yield scratch.subarray(0, filled)
      filled = 0
    }
    // Read again, since the sets may have changed while the part was written.
    const [first, second] = [follows.count(uid), followers.count(uid)]
    const wanted = Math.max(SCRATCH_INTS, first + second + 2)
    if (filled === 0 && scratch.length !== wanted) scratch = new Int32Array(wanted)
    scratch[filled] = first
    follows.copyKeys(uid, scratch, filled + 1)
    scratch[filled + 1 + first] = second
    followers.copyKeys(uid, scratch, filled + first + 2)
    filled += first + second + 2
  }
  yield scratch.subarray(0, filled)
  yield Int32Array.of(highestUid())
}

/**
 * Fills two new directions. @returns the number of edges.
 * @throws ImageError if anything is inconsistent; the directions are then unusable.
 */
export function loadGraph(
  chunks: Iterable<{ bytes: Uint8Array }>,
  target: { follows: Adjacency; followers: Adjacency; maxUid: number },
): number {
  const { follows, followers, maxUid } = target
  const image = new ImageReader(IMAGE_VERSION, chunks)
  const accounts = image.next()
  if (accounts < 0 || accounts > maxUid) throw new ImageError('it has accounts that are not ours')
  let edges = 0
  for (let uid = 1; uid <= accounts; uid++) {
    edges += loadSet(image, follows, uid, maxUid)
    loadSet(image, followers, uid, maxUid)
  }
  if (image.next() > maxUid) throw new ImageError('it has accounts that are not ours')
  image.end()
  return edges
}

function loadSet(image: ImageReader, sets: Adjacency, uid: number, maxUid: number): number {
  const count = image.next()
  if (count < 0 || count > maxUid) throw new ImageError(`the set of uid ${uid} can't be so large`)
  if (count === 0) return 0
  const from = image.take(count)
  sets.fill(uid, image.taken, from, count)
  return count
}
