// Lock-free reads of sets that one writer changes: a version per owner. The writer makes an owner's version
// odd before it changes the owner's set, and even again afterwards. A reader notes the version before its
// first load and checks it after its last: if it was even and is the same, the read contains no half change.
// Otherwise it reads again.

import { assert, InvariantError } from '../assert.ts'

const COUNT = 16_384
const MASK = COUNT - 1
/** Changes per run after which readers get their turn. */
const MAX_HELD = 256
const SPINS = 200
const WAIT_MS = 1
const MAX_ATTEMPTS = SPINS + 10_000

const IS_ORDERED = process.arch === 'x64'

/**
 * Owners share versions (there are some thousands), which costs a needless second read now and then
 * and is never wrong. Compared with one number for all changes (change-log.ts), readers do not
 * fetch a line that every change writes, and need not search a ring. One fence separates the odd
 * versions from the changes, another the changes from the even ones. `hold` keeps the versions of a
 * run of changes odd until `release`, so that the run shares the fences; a run that would keep
 * readers waiting for too long is cut.
 *
 * Why this is right, although the JavaScript memory model orders ordinary accesses to shared memory
 * only by synchronisation, which ordinary loads do not have: two things must hold, and do. V8 must
 * neither move an ordinary access across an `Atomics` operation nor optimise a second one away: it
 * compiles them as calls or as operations in the chain of effects, so it does neither. And the
 * processor must keep the order. x86-64 never moves a load before a load or a store before a store,
 * which is all that is needed. On ARM64 `Atomics.store` is STLR: earlier accesses stay before it;
 * `Atomics.load` is LDAR: later accesses stay behind it; and an LDAR is never moved before an STLR.
 * So a store to our own cell and a load from it are a full fence. A store alone is not: later
 * ordinary stores could overtake it.
 *
 * A 32-bit integer is never torn. A version wraps after 2^31 changes of its owners; only a reader
 * that sleeps inside one read for exactly that many could be fooled.
 */
export class OwnerVersionsWriter {
  readonly buffer = new SharedArrayBuffer(COUNT * 4)
  readonly #versions = new Int32Array(this.buffer)
  readonly #fence = createFenceCell()
  readonly #open = new Int32Array(MAX_HELD * 2)
  #openCount = 0
  #changes = 0
  #held = 0

  /** Call before a change to the sets of these two owners. */
  begin(a: number, b: number): void {
    const versions = this.#versions
    // In a run both are often odd already: one account follows many.
    if ((versions[a & MASK]! & versions[b & MASK]! & 1) === 1) return
    this.#mark(a & MASK)
    this.#mark(b & MASK)
    fence(this.#fence)
  }

  /** Call after the change. */
  end(): void {
    if (this.#held === 0 || ++this.#changes === MAX_HELD) this.#close()
  }

  /** Begins a run of changes: it must not wait for anything until `release`. */
  hold(): void {
    this.#held++
  }

  release(): void {
    assert(this.#held > 0, 'a run of changes ended that never began')
    this.#held--
    if (this.#held === 0 && this.#openCount > 0) this.#close()
  }

  #mark(slot: number): void {
    const version = this.#versions[slot]!
    if ((version & 1) === 1) return
    this.#versions[slot] = version + 1
    this.#open[this.#openCount++] = slot
  }

  #close(): void {
    fence(this.#fence)
    for (let i = 0; i < this.#openCount; i++) {
      const slot = this.#open[i]!
      this.#versions[slot] = this.#versions[slot]! + 1
    }
    this.#openCount = 0
    this.#changes = 0
  }
}

/**
 * Memory freed by the writer may be handed to another owner at once. A reader still inside the old
 * place then reads foreign data, but its own owner's version has changed, so it discards what it
 * read. The reader only has to stay in bounds and end its loops whatever it reads.
 */
export class OwnerVersionsReader {
  readonly #versions: Int32Array<SharedArrayBuffer>
  readonly #fence = createFenceCell()

  constructor(buffer: SharedArrayBuffer) {
    this.#versions = new Int32Array(buffer)
  }

  /** Call before the first load of the owner's set. */
  start(owner: number): number {
    return Atomics.load(this.#versions, owner & MASK)
  }

  /** Call after the last load: whether the owner's set is unchanged since `start`. */
  isUntouched(owner: number, started: number): boolean {
    if ((started & 1) === 1) return false
    if (!IS_ORDERED) fence(this.#fence)
    return Atomics.load(this.#versions, owner & MASK) === started
  }

  /**
   * Lets the writer finish before attempt number `attempt`.
   * @throws InvariantError if it never does
   */
  pause(owner: number, attempt: number): void {
    if (attempt < SPINS) return
    if (attempt > MAX_ATTEMPTS) throw new InvariantError('a writer never finished its change')
    const slot = owner & MASK
    Atomics.wait(this.#versions, slot, Atomics.load(this.#versions, slot), WAIT_MS)
  }
}

function createFenceCell(): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer(64))
}

/** Orders everything before it before everything after it, as seen by every thread. */
function fence(cell: Int32Array<SharedArrayBuffer>): void {
  if (!IS_ORDERED) Atomics.store(cell, 0, 0)
  Atomics.load(cell, 0)
}
