// The facts about items that filters need. Like cached views, facts are independent of labels; facts about
// posts that the request's labelers act upon are read again, since such a post may have been taken down.

import type { Hydrator } from '../hydrate/hydrator-types.ts'
import { asEveryone, asVisitor, type Reader } from '../hydrate/reader.ts'
import { CACHED, dependency, type ItemFacts } from './cached-view.ts'
import type { CachedViews } from './cached-views.ts'
import { ACTED_UPON, type LabelMemories } from './label-memory.ts'
import { loadLabels } from './load-misses.ts'
import { factsOf, makeItems } from './make-views.ts'

type Dependencies = { hydrator: Hydrator; views: CachedViews; labels: LabelMemories }

/** @returns the facts in the order of `items`. */
export function itemFacts(
  parts: Dependencies,
  items: readonly number[],
  reader: Reader,
): ItemFacts[] {
  const { hydrator, views } = parts
  if (reader.seesTakenDown) {
    const state = hydrator.feed(items, reader)
    return items.map((item) => factsOf(state, item))
  }
  // What is made may take the place of what was kept.
  const known = items.map((item) => views.get(CACHED.item, item)?.facts)
  const uncached = items.filter((_, i) => known[i] === undefined)
  const state = hydrator.feed(uncached, asEveryone(reader))
  makeItems(views, state, { kind: CACHED.item, items: uncached })
  const facts = items.map((item, i) => known[i] ?? factsOf(state, item))
  return withTakedowns(parts, { items, facts }, reader)
}

function withTakedowns(
  { hydrator, labels }: Dependencies,
  { items, facts }: { items: readonly number[]; facts: ItemFacts[] },
  reader: Reader,
): ItemFacts[] {
  const memory = labels.of(reader.labelers)
  if (!memory) return facts
  const subjectOf = ({ post }: ItemFacts) => dependency.post(post)
  const unknown = facts.map(subjectOf).filter((subject) => memory.get(subject) === undefined)
  if (unknown.length > 0) loadLabels(hydrator, unknown, asVisitor(reader), memory)
  const isActedUpon = facts.map((fact) => memory.get(subjectOf(fact)) === ACTED_UPON)
  if (!isActedUpon.includes(true)) return facts
  const state = hydrator.feed(
    items.filter((_, i) => isActedUpon[i]),
    asVisitor(reader),
  )
  return items.map((item, i) => (isActedUpon[i] ? factsOf(state, item) : facts[i]!))
}
