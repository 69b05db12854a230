// What one operation on one list costs: lists of 100 and more entries, in our sets and in the baselines. All
// contestants get the same accounts in the same order and start with empty lists; adding includes growing,
// removing includes shrinking. They alternate in many short rounds, so that all are equally affected by other
// load on the machine. Times are processor times: the best round, and the median, which shows how busy the
// machine was.

import { createRandom } from '../../test/support/random.ts'
import { onceNs, sink } from './cpu-time.ts'

export type Shape = { label: string; length: number; lists: number }

/** `hits` are the members of each list in another order, `misses` are in no list. */
export type Questions = { members: Int32Array; hits: Int32Array; misses: Int32Array }

/** Nanoseconds per operation. */
export type Times = { add: number; hit: number; miss: number; remove: number }

export type Measured = { best: Times; middle: Times }

/** One operation on an owner's list; owners are numbered from 1. */
export type Contestant = {
  addAll(owner: number, uids: Int32Array): void
  countAll(owner: number, uids: Int32Array): number
  removeAll(owner: number, uids: Int32Array): void
}

const UNIVERSE = 4_000_000
const OPERATIONS = 2_000_000
const REQUESTED_AGAIN = 3
const MIN_ROUNDS = 9

export function drawQuestions({ length, lists }: Shape): Questions {
  const random = createRandom(length)
  const members = new Int32Array(length * lists)
  const hits = new Int32Array(length * lists)
  for (let list = 0; list < lists; list++) {
    const seen = new Set<number>()
    while (seen.size < length) seen.add(1 + random.below(UNIVERSE))
    const drawn = Int32Array.from(seen)
    members.set(drawn, list * length)
    for (let i = length - 1; i > 0; i--) {
      const j = random.below(i + 1)
      const held = drawn[i]!
      drawn[i] = drawn[j]!
      drawn[j] = held
    }
    hits.set(drawn, list * length)
  }
  const misses = hits.map(() => UNIVERSE + 1 + random.below(UNIVERSE))
  return { members, hits, misses }
}

export function measure<Name extends string>(
  contestants: Record<Name, Contestant>,
  shape: Shape,
  questions: Questions,
): Record<Name, Measured> {
  const names = Object.keys(contestants) as Name[]
  const rounds = new Map<Name, Times[]>(names.map((name) => [name, []]))
  const count = Math.max(MIN_ROUNDS, Math.floor(OPERATIONS / questions.members.length))
  for (let round = 0; round < count; round++) {
    for (const name of names) {
      rounds.get(name)!.push(measureRound(contestants[name], shape, questions))
    }
  }
  const measured = names.map((name) => [name, summarise(rounds.get(name)!)] as const)
  return Object.fromEntries(measured) as Record<Name, Measured>
}

function measureRound(contestant: Contestant, shape: Shape, questions: Questions): Times {
  const { members, hits, misses } = questions
  const each = (uids: Int32Array, run: (owner: number, list: Int32Array) => void) => {
    for (let list = 0; list < shape.lists; list++) {
      run(list + 1, uids.subarray(list * shape.length, (list + 1) * shape.length))
    }
  }
  const ask = (uids: Int32Array) => () => {
    for (let again = 0; again < REQUESTED_AGAIN; again++) {
      each(uids, (owner, list) => {
        sink.value += contestant.countAll(owner, list)
      })
    }
  }
  const total = members.length
  return {
    add: onceNs(total, () => each(members, (owner, list) => contestant.addAll(owner, list))),
    hit: onceNs(total * REQUESTED_AGAIN, ask(hits)),
    miss: onceNs(total * REQUESTED_AGAIN, ask(misses)),
    remove: onceNs(total, () => each(hits, (owner, list) => contestant.removeAll(owner, list))),
  }
}

function summarise(rounds: Times[]): Measured {
  const at = (share: number, what: keyof Times) =>
    rounds.map((times) => times[what]).sort((a, b) => a - b)[Math.floor(rounds.length * share)]!
  const times = (share: number): Times => ({
    add: at(share, 'add'),
    hit: at(share, 'hit'),
    miss: at(share, 'miss'),
    remove: at(share, 'remove'),
  })
  return { best: times(0), middle: times(0.5) }
}

/** The obvious first implementation. */
export function mapOfSets(): Contestant {
  const map = new Map<number, Set<number>>()
  return {
    addAll(owner, uids) {
      const set = map.get(owner) ?? new Set()
      map.set(owner, set)
      for (let i = 0; i < uids.length; i++) set.add(uids[i]!)
    },
    countAll(owner, uids) {
      let count = 0
      for (let i = 0; i < uids.length; i++) if (map.get(owner)!.has(uids[i]!)) count++
      return count
    },
    removeAll(owner, uids) {
      for (let i = 0; i < uids.length; i++) map.get(owner)!.delete(uids[i]!)
    },
  }
}

const LOAD = 0.7

/** One Int32Array per list: hashed, linear probing, doubled at 70% load; nothing is shared. */
export function openAddressing(): Contestant {
  const tables = new Map<number, HashTable>()
  const tableOf = (owner: number) => {
    const known = tables.get(owner) ?? new HashTable()
    tables.set(owner, known)
    return known
  }
  return {
    addAll(owner, uids) {
      const table = tableOf(owner)
      for (let i = 0; i < uids.length; i++) table.add(uids[i]!)
    },
    countAll(owner, uids) {
      const table = tableOf(owner)
      let count = 0
      for (let i = 0; i < uids.length; i++) if (table.has(uids[i]!)) count++
      return count
    },
    removeAll(owner, uids) {
      const table = tableOf(owner)
      for (let i = 0; i < uids.length; i++) table.remove(uids[i]!)
      tables.delete(owner)
    },
  }
}

class HashTable {
  #places = new Int32Array(16)
  #count = 0

  add(uid: number): void {
    if (this.#count >= this.#places.length * LOAD) this.#grow()
    const at = this.#find(uid)
    if (this.#places[at] === uid) return
    this.#places[at] = uid
    this.#count++
  }

  has(uid: number): boolean {
    return this.#places[this.#find(uid)] === uid
  }

  remove(uid: number): void {
    const slots = this.#places
    const mask = slots.length - 1
    let slot = this.#find(uid)
    if (slots[slot] !== uid) return
    this.#count--
    for (let at = (slot + 1) & mask; slots[at] !== 0; at = (at + 1) & mask) {
      const distance = (at - this.#home(slots[at]!)) & mask
      if (distance < ((at - slot) & mask)) continue
      slots[slot] = slots[at]!
      slot = at
    }
    slots[slot] = 0
  }

  #home(uid: number): number {
    const mixed = Math.imul(uid, 0x9e3779b1)
    return (mixed ^ (mixed >>> 15)) & (this.#places.length - 1)
  }

  /** The account's slot, or where it would be inserted. */
  #find(uid: number): number {
    const slots = this.#places
    const mask = slots.length - 1
    let at = this.#home(uid)
    while (slots[at] !== 0 && slots[at] !== uid) at = (at + 1) & mask
    return at
  }

  #grow(): void {
    const old = this.#places
    this.#places = new Int32Array(old.length * 2)
    this.#count = 0
    for (let i = 0; i < old.length; i++) if (old[i] !== 0) this.add(old[i]!)
  }
}
