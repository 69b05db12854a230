// Which accounts and records somebody's label is on: hardly any. What labels say is read each time, by the labelers
// that are asked about; that there is none is kept from call to call, until an invalidation names the account.

import { subjectKeys } from '../../answers/hydrate/load-labels.ts'
import { collectionCodes } from '../../base/atproto/collections.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import type { Db } from '../../data/store/db.ts'
import { prepareLabels } from '../../data/store/read/labels.ts'
import { Recent } from './recent.ts'

/** Some hundred bytes each. */
const MAX_SUBJECTS = 60_000
const MAX_CHANGED = 20_000
const POST = collectionCodes['app.bsky.feed.post']

type Kept = { uid: number; change: number }
type Parts = { db: Db; actors: ActorReader; hasPost: (uri: string) => boolean }

export class Labelled {
  /** Subjects without a label as of a change. */
  readonly #free = new Recent<string, Kept>(MAX_SUBJECTS)
  /** By uid: the last change of what labels say about anything of theirs. */
  readonly #changes = new Map<number, number>()
  readonly #parts: Parts
  readonly #labels: ReturnType<typeof prepareLabels>
  #change = 0

  constructor(parts: Parts) {
    this.#parts = parts
    this.#labels = prepareLabels(parts.db)
  }

  /** Which of these may have labels. */
  among(subjects: Iterable<string>): string[] {
    const unknown = [...subjects].filter((subject) => !this.#isFree(subject))
    if (unknown.length === 0) return unknown
    const keys = subjectKeys(this.#parts.actors, unknown)
    const labelled = new Set(keys.length > 0 ? this.#labels.labelledAmong(keys) : [])
    return keys.flatMap(({ subject, uid, collection }, i) => {
      if (labelled.has(i)) return [subject]
      // Nobody is told of a label on a post that was not heard of.
      if (collection === POST && !this.#parts.hasPost(subject)) return []
      this.#free.set(subject, { uid, change: this.#changes.get(uid) ?? 0 })
      return []
    })
  }

  forget(uid: number): void {
    if (this.#changes.size >= MAX_CHANGED) this.forgetAll()
    this.#changes.set(uid, ++this.#change)
  }

  forgetAll(): void {
    this.#free.clear()
    this.#changes.clear()
  }

  #isFree(subject: string): boolean {
    const kept = this.#free.get(subject)
    return kept !== undefined && (this.#changes.get(kept.uid) ?? 0) === kept.change
  }
}
