// Tracks which accounts and records carry any label; hardly any do. Labels are read on each call, by the
// labelers that it asks for. The absence of labels is cached between calls until an invalidation names the
// account.

import { subjectKeys } from '../../../answers/hydrate/load/load-labels.ts'
import { collectionCodes } from '../../../base/atproto/collections.ts'
import type { ActorReader } from '../../../data/graph/types.ts'
import type { Db } from '../../../data/store/db.ts'
import { prepareLabels } from '../../../data/store/read/moderation/labels.ts'
import { Recent } from './recent.ts'

/** A few hundred bytes each. */
const MAX_SUBJECTS = 60_000
const MAX_CHANGED = 20_000
const POST = collectionCodes['app.bsky.feed.post']

type Cached = { uid: number; change: number }
type Dependencies = { db: Db; actors: ActorReader; hasPost: (uri: string) => boolean }

export class Labelled {
  /** Subjects without a label as of a change number. */
  readonly #free = new Recent<string, Cached>(MAX_SUBJECTS)
  /** By uid: number of the last change to labels on any of the account's subjects. */
  readonly #changes = new Map<number, number>()
  readonly #parts: Dependencies
  readonly #labels: ReturnType<typeof prepareLabels>
  #change = 0

  constructor(parts: Dependencies) {
    this.#parts = parts
    this.#labels = prepareLabels(parts.db)
  }

  /** Returns the subjects that may have labels. */
  among(subjects: Iterable<string>): string[] {
    const unknown = [...subjects].filter((subject) => !this.#isFree(subject))
    if (unknown.length === 0) return unknown
    const keys = subjectKeys(this.#parts.actors, unknown)
    const labelled = new Set(keys.length > 0 ? this.#labels.labelledAmong(keys) : [])
    return keys.flatMap(({ subject, uid, collection }, i) => {
      if (labelled.has(i)) return [subject]
      // Labels on a post that is unknown here cause no invalidation.
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
    const cached = this.#free.get(subject)
    return cached !== undefined && (this.#changes.get(cached.uid) ?? 0) === cached.change
  }
}
