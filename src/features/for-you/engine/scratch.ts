// Sums by number, for one calculation: an open-addressing table of fixed size, emptied in no time because each
// calculation has a number of its own. Once it is full, further keys are not taken.

export type Sums = {
  keys: Int32Array
  turns: Int32Array
  scores: Float32Array
  counts: Uint16Array
  extras: Int32Array
  /** What was added last, so that it is not added twice. */
  marks: Int32Array
  /** Places in use, in order of arrival. */
  used: Int32Array
  size: number
  turn: number
}

const FULL = 0.7

/** @param bits - of the number of places; 22 bytes each, and three for the list */
export function createSums(bits: number): Sums {
  const places = 2 ** bits
  return {
    keys: new Int32Array(places),
    turns: new Int32Array(places),
    scores: new Float32Array(places),
    counts: new Uint16Array(places),
    extras: new Int32Array(places),
    marks: new Int32Array(places),
    used: new Int32Array(Math.floor(places * FULL)),
    size: 0,
    turn: 0,
  }
}

export function empty(sums: Sums): void {
  sums.size = 0
  sums.turn++
}

/** @returns the place of a key, added with zeros if it is new; -1: full */
export function placeFor(sums: Sums, key: number): number {
  const { keys, turns, turn } = sums
  const mask = keys.length - 1
  for (let place = Math.imul(key, 0x9e3779b1) >>> 8; ; place++) {
    place &= mask
    if (turns[place] !== turn) return start(sums, place, key)
    if (keys[place] === key) return place
  }
}

function start(sums: Sums, place: number, key: number): number {
  if (sums.size === sums.used.length) return -1
  sums.turns[place] = sums.turn
  sums.keys[place] = key
  sums.scores[place] = 0
  sums.counts[place] = 0
  sums.extras[place] = 0
  sums.marks[place] = -1
  sums.used[sums.size++] = place
  return place
}

/** @returns the place of a key; -1: it is not there */
export function findPlace(sums: Sums, key: number): number {
  const { keys, turns, turn } = sums
  const mask = keys.length - 1
  for (let place = Math.imul(key, 0x9e3779b1) >>> 8; ; place++) {
    place &= mask
    if (turns[place] !== turn) return -1
    if (keys[place] === key) return place
  }
}

/** The places with the highest scores, highest first. */
export function highest(sums: Sums, limit: number): Int32Array {
  const { scores, used, size } = sums
  const heap = new Int32Array(Math.min(limit, size))
  let count = 0
  for (let i = 0; i < size; i++) {
    const place = used[i]!
    if (count < heap.length) raise(heap, count++, place, scores)
    else if (count > 0 && scores[place]! > scores[heap[0]!]!) sink(heap, count, place, scores)
  }
  return heap.sort((a, b) => scores[b]! - scores[a]! || a - b)
}

/** Adds to a heap whose root is the lowest. */
function raise(heap: Int32Array, at: number, place: number, scores: Float32Array): void {
  let child = at
  while (child > 0) {
    const parent = (child - 1) >> 1
    if (scores[heap[parent]!]! <= scores[place]!) break
    heap[child] = heap[parent]!
    child = parent
  }
  heap[child] = place
}

/** Replaces the root. */
function sink(heap: Int32Array, size: number, place: number, scores: Float32Array): void {
  let parent = 0
  for (;;) {
    let child = parent * 2 + 1
    if (child >= size) break
    if (child + 1 < size && scores[heap[child + 1]!]! < scores[heap[child]!]!) child++
    if (scores[heap[child]!]! >= scores[place]!) break
    heap[parent] = heap[child]!
    parent = child
  }
  heap[parent] = place
}
