// What the labelers of recent requests say about posts and accounts, for each set of labelers, as it stands in views:
// of most nothing. What they act upon takes the slow path, with everything else that differs from viewer to viewer.
//
// Keyed by cached-view.ts `dependency` of the post or the account. Bounded by bytes; the set that was not asked for
// longest goes first, and one that alone fills it all begins anew.

import type { Labelers } from '../hydrate/labelers.ts'
import type { Labelled } from '../hydrate/types.ts'
import { byteText } from '../views/ready-json.ts'

const MAX_BYTES = 20 << 20
const MAX_SETS = 64
const ENTRY_BYTES = 50
const TEXT_BYTES = 32
/** Somebody labels one subject with everything there is. */
const MAX_TEXT = 4_096

/** They may change more than what labels a view shows, or end without anybody saying so. */
export const ACTED_UPON = Symbol('acted upon')

/** Byte text: labels with commas between them, or nothing. */
export type SaidOf = string | typeof ACTED_UPON

export class LabelMemory {
  /** Only ever grows until all is forgotten, so it is rather too much than too little. */
  bytes = 0
  readonly #said = new Map<number, SaidOf>()

  /** @returns undefined where it was not asked. */
  get(subject: number): SaidOf | undefined {
    return this.#said.get(subject)
  }

  keep(subject: number, labelled: Labelled | undefined): void {
    const said = labelled ? saidIn(labelled) : ''
    this.#said.set(subject, said)
    this.bytes += ENTRY_BYTES
    if (typeof said === 'string' && said !== '') this.bytes += said.length + TEXT_BYTES
  }

  forget(subject: number): void {
    this.#said.delete(subject)
  }

  clear(): void {
    this.#said.clear()
    this.bytes = 0
  }
}

function saidIn({ labels, isActedUpon }: Labelled): SaidOf {
  if (isActedUpon) return ACTED_UPON
  const text = byteText(labels).slice(1, -1)
  return text.length > MAX_TEXT ? ACTED_UPON : text
}

export class LabelMemories {
  /** In the order of their last use. */
  readonly #sets = new Map<string, LabelMemory>()
  /** Most requests come with the same ones, which are the last then. */
  #last: { labelers: Labelers; memory: LabelMemory } | undefined

  /** @returns undefined where nobody's labels count. */
  of(labelers: Labelers): LabelMemory | undefined {
    if (labelers.dids.length === 0) return undefined
    if (this.#last?.labelers !== labelers) {
      this.#last = { labelers, memory: this.#newest(labelers) }
    }
    const { memory } = this.#last
    if (memory.bytes > MAX_BYTES) memory.clear()
    return memory
  }

  #newest(labelers: Labelers): LabelMemory {
    const key = keyOf(labelers)
    const found = this.#sets.get(key) ?? new LabelMemory()
    this.#sets.delete(key)
    this.#makeRoom()
    this.#sets.set(key, found)
    return found
  }

  forget(subject: number): void {
    for (const set of this.#sets.values()) set.forget(subject)
  }

  forgetAll(): void {
    this.#sets.clear()
    this.#last = undefined
  }

  #makeRoom(): void {
    let bytes = 0
    for (const set of this.#sets.values()) bytes += set.bytes
    while (this.#sets.size >= MAX_SETS || bytes > MAX_BYTES) {
      const [oldest] = this.#sets
      if (!oldest) return
      bytes -= oldest[1].bytes
      this.#sets.delete(oldest[0])
    }
  }
}

/** Those that may redact act upon more. */
function keyOf({ dids, redact }: Labelers): string {
  const one = (did: string) => (redact.has(did) ? `${did};` : did)
  return dids.length === 1 ? one(dids[0]!) : dids.map(one).sort().join()
}
