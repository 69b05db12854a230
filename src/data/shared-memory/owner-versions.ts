// How many readers see sets that one writer changes, without locks: a version for each owner. Before the writer
// changes what an owner has, it makes the owner's version odd, and even again when it is done. A reader notes the
// version before its first load and looks again after its last: if it was even and is the same, nothing that it read
// can have been half a change. Otherwise it reads again.

import { assert, InvariantError } from '../../base/util/assert.ts'

const COUNT = 16_384
const MASK = COUNT - 1
/** Changes of a run after which readers get their turn. */
const MAX_HELD = 256
const SPINS = 200
const WAIT_MS = 1
const MAX_ATTEMPTS = SPINS + 10_000

const IS_ORDERED = process.arch === 'x64'

/**
 * Owners share versions (there are some thousands), which costs a needless second read now and then and is never
 * wrong. Compared with one number for all changes (change-log.ts), readers do not fetch a line that every change
 * writes, and nothing has to be looked through. One fence stands between the odd versions and the changes, one
 * between the changes and the even ones. `hold` keeps the versions of a run of changes odd until `release`, or until
 * there were so many that readers should get their turn: then the fences are shared by the run.
 *
 * Why this is right, although the JavaScript memory model orders ordinary accesses to shared memory only by what
 * synchronises, which ordinary loads do not: two things have to hold, and do. V8 must not move an ordinary access
 * across an `Atomics` operation, and must not do without a second one: it compiles them as calls or as operations in
 * the chain of effects, so it does not. And the processor must not. x86-64 never moves a load before a load or a
 * store before a store, which is all that is needed. On ARM64 `Atomics.store` is STLR: what stands before stays
 * before; `Atomics.load` is LDAR: what stands behind stays behind; and an LDAR is never moved before an STLR. So a
 * store to a cell of our own and a load from it are a fence for everything. A store alone is not: later ordinary
 * stores could overtake it.
 *
 * A 32-bit integer is never torn. A version wraps after 2^31 changes of its owners; only a reader that sleeps inside
 * one read for exactly that long could be fooled.
 */
export class OwnerVersionsWriter {
  readonly buffer = new SharedArrayBuffer(COUNT * 4)
  readonly #versions = new Int32Array(this.buffer)
  readonly #fence = createFenceCell()
  readonly #open = new Int32Array(MAX_HELD * 2)
  #openCount = 0
  #changes = 0
  #held = 0

  /** Before a change to what these two owners have. */
  begin(a: number, b: number): void {
    const versions = this.#versions
    // In a run both are often odd already: one account follows many.
    if ((versions[a & MASK]! & versions[b & MASK]! & 1) === 1) return
    this.#mark(a & MASK)
    this.#mark(b & MASK)
    fence(this.#fence)
  }

  /** After it. */
  end(): void {
    if (this.#held === 0 || ++this.#changes === MAX_HELD) this.#close()
  }

  /** A run of changes begins: nothing may be waited for until `release`. */
  hold(): void {
    this.#held++
  }

  release(): void {
    assert(this.#held > 0, 'a run of changes ended that never began')
    this.#held--
    if (this.#held === 0 && this.#openCount > 0) this.#close()
  }

  #mark(place: number): void {
    const version = this.#versions[place]!
    if ((version & 1) === 1) return
    this.#versions[place] = version + 1
    this.#open[this.#openCount++] = place
  }

  #close(): void {
    fence(this.#fence)
    for (let i = 0; i < this.#openCount; i++) {
      const place = this.#open[i]!
      this.#versions[place] = this.#versions[place]! + 1
    }
    this.#openCount = 0
    this.#changes = 0
  }
}

/**
 * Memory freed by the writer may be handed to another owner at once. A reader still inside the old place then reads
 * foreign data, but its own owner's version has changed, so what it read is thrown away. The reader's part is only
 * to stay inside bounds and end its loops whatever it reads.
 */
export class OwnerVersionsReader {
  readonly #versions: Int32Array<SharedArrayBuffer>
  readonly #fence = createFenceCell()

  constructor(buffer: SharedArrayBuffer) {
    this.#versions = new Int32Array(buffer)
  }

  /** Before the first load of what `owner` has. */
  start(owner: number): number {
    return Atomics.load(this.#versions, owner & MASK)
  }

  /** After the last load: whether nothing of `owner` was changed since `start`. */
  isUntouched(owner: number, started: number): boolean {
    if ((started & 1) === 1) return false
    if (!IS_ORDERED) fence(this.#fence)
    return Atomics.load(this.#versions, owner & MASK) === started
  }

  /** Lets the writer finish before attempt number `attempt`. @throws InvariantError if it never does. */
  pause(owner: number, attempt: number): void {
    if (attempt < SPINS) return
    if (attempt > MAX_ATTEMPTS) throw new InvariantError('a writer never finished its change')
    const place = owner & MASK
    Atomics.wait(this.#versions, place, Atomics.load(this.#versions, place), WAIT_MS)
  }
}

function createFenceCell(): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer(64))
}

/** Everything before comes before everything after, for whoever looks on. */
function fence(cell: Int32Array<SharedArrayBuffer>): void {
  if (!IS_ORDERED) Atomics.store(cell, 0, 0)
  Atomics.load(cell, 0)
}
