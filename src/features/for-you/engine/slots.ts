// What the two tables have in common. A slot that is given to another key counts its generation up, and likes
// name slot and generation together: a like of the former key then leads nowhere, without anything being
// searched for and removed.

const SLOT_BITS = 24
const SLOT_MASK = 2 ** SLOT_BITS - 1
export const MAX_COUNT = SLOT_MASK

/** A slot and its generation, as likes name them. */
export function refOf(table: Int32Array, slot: number, at: number): number {
  return slot | (table[at]! & ~SLOT_MASK)
}

export function slotOf(ref: number): number {
  return ref & SLOT_MASK
}

/** Whether the slot still has the key that it had when `ref` was made. */
export function isOf(ref: number, countWord: number): boolean {
  return ((ref ^ countWord) & ~SLOT_MASK) === 0
}

export function countOf(word: number): number {
  return word & MAX_COUNT
}

/** The word with one more counted, up to the largest count. */
export function countedUp(word: number): number {
  return countOf(word) === MAX_COUNT ? word : word + 1
}

/** The word of a slot's next key: nothing counted, the next generation. */
export function nextGeneration(word: number): number {
  return ((word & ~SLOT_MASK) + (1 << SLOT_BITS)) | 0
}
