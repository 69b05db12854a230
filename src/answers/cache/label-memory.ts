// Labels that the labelers of recent requests put on posts and accounts, as they appear in views, for each
// set of labelers. Most subjects have none; those the labelers act upon take the slow path, as does all else
// that differs by viewer. Keyed by cached-view.ts `dependency` of the post or account. Bounded by bytes:
// evicts the least recently used set first; a set that alone exceeds the limit is cleared.

import type { Labelers } from '../../base/atproto/labelers.ts'
import type { Labelled } from '../hydrate/types.ts'
import { byteText } from '../views/json/ready-json.ts'
import { nextVersion } from './versions.ts'

const MAX_BYTES = 20 << 20
const MAX_SETS = 64
const ENTRY_BYTES = 50
const TEXT_BYTES = 32
/** Longer texts take the slow path, in case a labeler applies every label there is. */
const MAX_TEXT = 4_096

/** The labels may change more than the labels shown in a view, or expire without an event. */
export const ACTED_UPON = Symbol('acted upon')

/** Byte text: labels separated by commas, or empty. */
export type LabelState = string | typeof ACTED_UPON

export class LabelMemory {
  /** An upper estimate: it only grows until the memory is cleared. */
  bytes = 0
  /** Another one whenever a subject is forgotten that was looked up; no two memories share one. */
  version = nextVersion()
  readonly #said = new Map<number, LabelState>()

  /** @returns undefined if the subject has not been looked up. */
  get(subject: number): LabelState | undefined {
    return this.#said.get(subject)
  }

  add(subject: number, labelled: Labelled | undefined): void {
    const labelState = labelled ? labelStateIn(labelled) : ''
    this.#said.set(subject, labelState)
    this.bytes += ENTRY_BYTES
    if (typeof labelState === 'string' && labelState !== '')
      this.bytes += labelState.length + TEXT_BYTES
  }

  forget(subject: number): void {
    if (this.#said.delete(subject)) this.version = nextVersion()
  }

  clear(): void {
    this.#said.clear()
    this.bytes = 0
    this.version = nextVersion()
  }
}

function labelStateIn({ labels, isActedUpon }: Labelled): LabelState {
  if (isActedUpon) return ACTED_UPON
  const text = byteText(labels).slice(1, -1)
  return text.length > MAX_TEXT ? ACTED_UPON : text
}

export class LabelMemories {
  /** Ordered by last use. */
  readonly #sets = new Map<string, LabelMemory>()
  /** Most requests name the same labelers, so the last set usually matches. */
  #last: { labelers: Labelers; memory: LabelMemory } | undefined

  /** @returns undefined if no labels count. */
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

/** Includes which labelers may redact, since more of their labels are acted upon. */
function keyOf({ dids, redact }: Labelers): string {
  const run = (did: string) => (redact.has(did) ? `${did};` : did)
  return dids.length === 1 ? run(dids[0]!) : dids.map(run).sort().join()
}
