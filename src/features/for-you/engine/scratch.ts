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
  const slots = 2 ** bits
  return {
    keys: new Int32Array(slots),
    turns: new Int32Array(slots),
    scores: new Float32Array(slots),
    counts: new Uint16Array(slots),
    extras: new Int32Array(slots),
    marks: new Int32Array(slots),
    used: new Int32Array(Math.floor(slots * FULL)),
    size: 0,
    turn: 0,
  }
}

export function empty(sums: Sums): void {
  sums.size = 0
  sums.turn++
}

/** @returns the place of a key, added with zeros if it is new; -1: full */
export function slotFor(sums: Sums, key: number): number {
  const { keys, turns, turn } = sums
  const mask = keys.length - 1
  for (let slot = Math.imul(key, 0x9e3779b1) >>> 8; ; slot++) {
    slot &= mask
    if (turns[slot] !== turn) return start(sums, slot, key)
    if (keys[slot] === key) return slot
  }
}

function start(sums: Sums, slot: number, key: number): number {
  if (sums.size === sums.used.length) return -1
  sums.turns[slot] = sums.turn
  sums.keys[slot] = key
  sums.scores[slot] = 0
  sums.counts[slot] = 0
  sums.extras[slot] = 0
  sums.marks[slot] = -1
  sums.used[sums.size++] = slot
  return slot
}

/** @returns the place of a key; -1: it is not there */
export function findSlot(sums: Sums, key: number): number {
  const { keys, turns, turn } = sums
  const mask = keys.length - 1
  for (let slot = Math.imul(key, 0x9e3779b1) >>> 8; ; slot++) {
    slot &= mask
    if (turns[slot] !== turn) return -1
    if (keys[slot] === key) return slot
  }
}

/** The places with the highest scores, highest first. */
export function highest(sums: Sums, limit: number): Int32Array {
  const { scores, used, size } = sums
  const heap = new Int32Array(Math.min(limit, size))
  let count = 0
  for (let i = 0; i < size; i++) {
    const slot = used[i]!
    if (count < heap.length) raise(heap, count++, slot, scores)
    else if (count > 0 && scores[slot]! > scores[heap[0]!]!) sink(heap, count, slot, scores)
  }
  return heap.sort((a, b) => scores[b]! - scores[a]! || a - b)
}

/** Adds to a heap whose root is the lowest. */
function raise(heap: Int32Array, at: number, slot: number, scores: Float32Array): void {
  let child = at
  while (child > 0) {
    const parent = (child - 1) >> 1
    if (scores[heap[parent]!]! <= scores[slot]!) break
    heap[child] = heap[parent]!
    child = parent
  }
  heap[child] = slot
}

/** Replaces the root. */
function sink(heap: Int32Array, size: number, slot: number, scores: Float32Array): void {
  let parent = 0
  for (;;) {
    let child = parent * 2 + 1
    if (child >= size) break
    if (child + 1 < size && scores[heap[child + 1]!]! < scores[heap[child]!]!) child++
    if (scores[heap[child]!]! >= scores[slot]!) break
    heap[parent] = heap[child]!
    parent = child
  }
  heap[parent] = slot
}
