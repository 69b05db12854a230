// Every input of a view is invalidated after the commit that changes it: over random histories, every row
// that the writer touches (by triggers) and everything readers can see (by reading it) is compared with the
// published invalidations.

import type { StreamEvent } from '@slipstream/jetstream'
import { describe, expect, it } from 'vitest'
import { INVALIDATION } from '../../../src/data/shared-memory/invalidation-kinds.ts'
import { InvalidationReader } from '../../../src/data/shared-memory/invalidation-ring.ts'
import { prepareRelations } from '../../../src/data/store/read/accounts/relations.ts'
import { furtherActs } from '../../support/further-acts.ts'
import {
  changedBetween,
  idleInvalidations,
  invalidatedStateReader,
  isChangeInvalidated,
} from '../../support/invalidated-state.ts'
import {
  type InvalidationSet,
  nameOfInvalidation,
  takeInvalidations,
} from '../../support/invalidation-set.ts'
import { createRandom } from '../../support/random.ts'
import { randomHistory, unreliably } from '../../support/random-history.ts'
import { watchTouchedRows } from '../../support/touched-rows.ts'
import { createWorld, type RecordId, type World } from '../../support/world.ts'

const SEED = Number(process.env['SEED'] ?? 211_126)
const EVENTS = Number(process.env['EVENTS'] ?? 400)
const CURATELIST = 'app.bsky.graph.defs#curatelist'

/** A batch that fails after its last event, as on a full disk. */
function failing(events: StreamEvent[]): StreamEvent[] {
  const poison = {
    kind: 'commit',
    get did(): string {
      throw new Error('the disk is full')
    },
  }
  return [...events, poison as unknown as StreamEvent]
}

/** Counts invalidations by kind over a whole history, and the unnecessary ones. */
function createSums() {
  const all = new Map<string, number>()
  const idle = new Map<string, number>()
  const addTo = (sums: Map<string, number>, invalidations: InvalidationSet['invalidations']) => {
    for (const [kind] of invalidations) {
      sums.set(nameOfInvalidation(kind), (sums.get(nameOfInvalidation(kind)) ?? 0) + 1)
    }
  }
  const total = (sums: Map<string, number>) => [...sums.values()].reduce((a, b) => a + b, 0)
  return {
    all,
    add(invalidations: InvalidationSet, changed: string[]) {
      addTo(all, invalidations.invalidations)
      addTo(idle, idleInvalidations(invalidations, changed))
    },
    idleShare: () => total(idle) / total(all),
  }
}

describe.each(['network', 'community'] as const)('a random history, scope %s', (scope) => {
  it(`changes nothing without an invalidation (seed ${SEED})`, () => {
    const random = createRandom(SEED)
    const world = createWorld({ scope, members: ['person-0', 'person-1'] })
    try {
      const reader = new InvalidationReader(world.invalidations.buffer)
      const touched = watchTouchedRows(world.db)
      expect(touched.unjudged).toEqual([])
      const actOnce = furtherActs(world, random)
      const readState = invalidatedStateReader(world.reader)
      const events = unreliably(randomHistory(world, random, EVENTS), random)
      const sums = createSums()
      let before = readState()
      let wholes = 0
      for (let at = 0; at < events.length; ) {
        const batch = events.slice(at, at + 1 + random.below(8))
        if (random.chance(0.05)) {
          expect(() => world.apply(failing(batch))).toThrow('the disk is full')
          expect(takeInvalidations(reader)).toMatchObject({ isEverything: true, invalidations: [] })
          touched.takeUninvalidated(takeInvalidations(reader))
        }
        if (random.chance(0.5)) actOnce()
        else {
          world.apply(batch)
          at += batch.length
        }
        const invalidations = takeInvalidations(reader)
        const after = readState()
        const changed = changedBetween(before, after)
        const uninvalidated = changed
          .filter((key) => !isChangeInvalidated(key, invalidations))
          .map((key) => `${key}: ${before.get(key)} → ${after.get(key)}`)
        expect(uninvalidated, JSON.stringify(invalidations.invalidations)).toEqual([])
        expect(touched.takeUninvalidated(invalidations)).toEqual([])
        if (invalidations.isEverything) wholes++
        else sums.add(invalidations, changed)
        before = after
      }
      // Otherwise the history proves little. Posts by programs, records loaded from repositories and those of
      // article cards (test/answers/cache/scenes.test.ts) are no part of such a history.
      const others = new Set(['everything', 'ofFeature', 'backfills', 'associated'])
      const kinds = Object.keys(INVALIDATION).filter((name) => !others.has(name))
      expect([...sums.all.keys()].sort()).toEqual(kinds.sort())
      expect(wholes).toBeLessThan(events.length / 20)
      expect(sums.idleShare()).toBeLessThan(0.2)
    } finally {
      world.dispose()
    }
  })
})

describe('a relation between two accounts changed by a third', () => {
  function listBlock() {
    const world = createWorld({ scope: 'network' })
    const [blocker, owner, blocked] = ['a', 'b', 'c'].map((name) => world.account(name))
    for (const did of [blocker!, owner!, blocked!]) world.post(did)
    const list = world.list(owner!, 'a list')
    const relation = () =>
      prepareRelations(world.reader)(world.uid(blocker!), [world.uid(blocked!)])[0]![5]
    const reader = new InvalidationReader(world.invalidations.buffer)
    /** Whether an invalidation since the last call names the pair. */
    const isNamed = () => {
      const invalidations = takeInvalidations(reader)
      return (
        invalidations.has(INVALIDATION.relations, world.uid(blocker!)) ||
        invalidations.has(INVALIDATION.relations, world.uid(blocked!))
      )
    }
    return { world, blocker: blocker!, owner: owner!, blocked: blocked!, list, relation, isNamed }
  }

  it('is invalidated when an account blocks by a list, or is added to it', () => {
    const { world, blocker, blocked, list, relation, isNamed } = listBlock()
    isNamed()
    const item = world.listItem(world.account('b'), list, blocked)
    expect(isNamed()).toBe(true)
    const block = world.listBlock(blocker, list)
    expect([relation(), isNamed()]).toEqual([expect.any(Number), true])
    world.delete(block)
    expect([relation(), isNamed()]).toEqual([null, true])
    world.listBlock(blocker, list)
    isNamed()
    world.delete(item)
    expect([relation(), isNamed()]).toEqual([null, true])
    world.dispose()
  })

  it.each([
    ['its creator is hidden', ({ world, owner }) => world.status(owner, 'takendown')],
    ['its creator’s account is deleted', ({ world, owner }) => world.status(owner, 'deleted')],
    ['it is deleted', ({ world, list }) => world.delete(list)],
    ['it becomes a curation list', ({ world, owner, list }) => rewrite(world, owner, list)],
  ] as [string, (parts: ReturnType<typeof listBlock>) => void][])(
    'is invalidated when a blocking list stops blocking: %s',
    (_, act) => {
      const parts = listBlock()
      const { world, owner, blocker, blocked, list, relation, isNamed } = parts
      world.listItem(owner, list, blocked)
      world.listBlock(blocker, list)
      expect(relation()).not.toBeNull()
      isNamed()
      act(parts)
      expect([relation(), isNamed()]).toEqual([null, true])
      world.dispose()
    },
  )

  it('is not invalidated by repeating the same status or handle', () => {
    const { world, blocker, owner, blocked, list } = listBlock()
    world.listItem(owner, list, blocked)
    world.listBlock(blocker, list)
    world.status(owner, 'throttled')
    world.handle(owner, 'owner.test')
    const reader = new InvalidationReader(world.invalidations.buffer)
    world.status(owner, 'throttled')
    world.handle(owner, 'owner.test')
    expect(takeInvalidations(reader)).toMatchObject({ isEverything: false, invalidations: [] })
    world.status(owner)
    expect(takeInvalidations(reader)).toMatchObject({
      isEverything: false,
      invalidations: [[INVALIDATION.actor, world.uid(owner), 0]],
    })
    world.dispose()
  })
})

function rewrite(world: World, did: string, list: RecordId): void {
  const record = { name: 'a list', purpose: CURATELIST, createdAt: world.isoNow() }
  const rkey = list.uri.split('/').at(-1)!
  world.write({ did, collection: 'app.bsky.graph.list', record, rkey, operation: 'update' })
}
