// Memory built from a snapshot and the journal of follow changes equals memory built from rows.

import { expect, it } from 'vitest'
import {
  lastGraphChange,
  pruneGraphChanges,
} from '../../../src/data/store/records/graph-changes.ts'
import type { Memory } from '../../../src/ingest/indexing/memory/memory.ts'
import { catchUpMemory, rebuildMemory } from '../../../src/ingest/indexing/memory/rebuild-memory.ts'
import { createMemoryParts } from '../../support/memory-parts.ts'
import { createRandom } from '../../support/random.ts'
import { randomHistory } from '../../support/random-history.ts'
import { createWorld } from '../../support/world.ts'

const SEED = Number(process.env['SEED'] ?? 99)
const SETTINGS = { timelineLength: 100, reasonableLimit: 2000, celebrityThreshold: 3 }

function content({ actors, graph }: Memory) {
  const uids = Array.from({ length: actors.count }, (_, i) => i + 1)
  const out = new Uint32Array(1000)
  return uids.map((uid) => ({
    did: actors.didOf(uid),
    flags: actors.flagsOf(uid),
    memberFollowers: actors.memberFollowersOf(uid),
    follows: [...out.slice(0, graph.follows(uid, 0, out))],
  }))
}

/** A snapshot's content: accounts and pairs, no bits. */
function copyOf(memory: Memory): Memory {
  const copy = createMemoryParts(SETTINGS)
  for (const [i, { did, follows }] of content(memory).entries()) {
    copy.actors.intern(did)
    for (const subject of follows) copy.graph.add(i + 1, subject)
  }
  return copy
}

it(`memory is the same, whenever the snapshot was made (seed ${SEED})`, () => {
  const random = createRandom(SEED)
  const world = createWorld({ ...SETTINGS, scope: 'network', members: ['person-0', 'person-1'] })
  try {
    const snapshots: { copy: Memory; covered: number }[] = []
    for (let i = 0; i < 6; i++) {
      snapshots.push({ copy: copyOf(world.memory), covered: lastGraphChange(world.db) })
      for (const event of randomHistory(world, random, 120)) world.apply([event])
    }
    const fromRows = createMemoryParts(SETTINGS)
    rebuildMemory(world.db, fromRows)
    expect(content(fromRows).flatMap(({ follows }) => follows).length).toBeGreaterThan(10)
    for (const { copy, covered } of snapshots) {
      catchUpMemory(world.db, copy, covered)
      expect(content(copy)).toEqual(content(fromRows))
      expect(copy.graph.edgeCount).toBe(fromRows.graph.edgeCount)
    }
    // The journal is pruned with a snapshot, and its numbering continues.
    const last = lastGraphChange(world.db)
    pruneGraphChanges(world.db, last)
    expect(lastGraphChange(world.db)).toBe(last)
    world.follow(world.account('someone'), world.account('new'))
    expect(lastGraphChange(world.db)).toBe(last + 1)
  } finally {
    world.dispose()
  }
})
