// An operator's list of follows against stream events before, during and after the import; and the same list
// in bulk and line by line.

import { loadFollowGraph } from '@slipstream/follow-graph'
import { describe, expect, it } from 'vitest'
import { unpackRkey } from '../../../../src/base/atproto/keys.ts'
import { createActorTable } from '../../../../src/data/graph/actor-table.ts'
import { followEdges } from '../../../../src/data/store/edges/all-edges.ts'
import { countActors } from '../../../../src/data/store/records/actors.ts'
import type { FollowLine } from '../../../../src/data/store/records/follows.ts'
import { createBulkImport } from '../../../../src/ingest/indexing/imports/bulk-follows.ts'
import { createFollowReader } from '../../../../src/ingest/indexing/imports/follow-lines.ts'
import { importFollow } from '../../../../src/ingest/indexing/imports/import-follows.ts'
import {
  addTo,
  emptyTally,
  type ImportTally,
} from '../../../../src/ingest/indexing/imports/import-tally.ts'
import { loadGraph } from '../../../../src/ingest/indexing/memory/graph-snapshot.ts'
import { rebuildActors } from '../../../../src/ingest/indexing/memory/rebuild-memory.ts'
import { createWriter } from '../../../../src/ingest/indexing/writer.ts'
import { createRandom, type Random } from '../../../support/random.ts'
import { didOf, tidAt } from '../../../support/records.ts'
import { countRows, jobsOf } from '../../../support/rows.ts'
import { testSeed } from '../../../support/seed.ts'
import { createWorld, type World, type WorldOptions } from '../../../support/world.ts'

const [anna, ben, cora] = [didOf('anna'), didOf('ben'), didOf('cora')]
const FOLLOW = 'app.bsky.graph.follow'

function inWorld(options: WorldOptions, act: (world: World) => void): void {
  const world = createWorld(options)
  try {
    act(world)
  } finally {
    world.dispose()
  }
}

function isFollowing(world: World, creator: string, subject: string): boolean {
  const [from, to] = [world.uid(creator), world.uid(subject)]
  const inRows = from !== 0 && followEdges.has(world.db, from, to)
  const inGraph = from !== 0 && to !== 0 && world.graph.has(from, to)
  expect(inGraph).toBe(inRows)
  return inRows
}

const rkeyOf = ({ uri }: { uri: string }) => uri.split('/').at(-1)!
const line = (did: string, subject: string, rkey?: string): FollowLine => ({ did, subject, rkey })
const follows = (world: World, did: string) =>
  world.db.prepare('SELECT follows_count FROM actors WHERE did = ?').pluck().get(did)

describe('a list with record keys', () => {
  it('adds unknown follows of any account, which a later deletion can remove', () =>
    inWorld({}, (world) => {
      const key = tidAt(1_750_000_000_000_000)
      expect(world.importFollows([line(anna, ben, key)])).toMatchObject({ added: 1 })
      expect(world.importFollows([line(anna, ben, key)])).toMatchObject({ added: 0, known: 1 })
      expect(isFollowing(world, anna, ben)).toBe(true)
      expect(follows(world, anna)).toBe(1)
      world.delete(`at://${anna}/${FOLLOW}/${key}`)
      expect(isFollowing(world, anna, ben)).toBe(false)
      expect(follows(world, anna)).toBe(0)
    }))

  it('does not restore follows deleted before the import', () =>
    inWorld({ scope: 'network' }, (world) => {
      const follow = world.follow(anna, ben)
      world.delete(follow)
      expect(world.importFollows([line(anna, ben, rkeyOf(follow))])).toMatchObject({ undone: 1 })
      expect(isFollowing(world, anna, ben)).toBe(false)
    }))

  it('does not restore follows that strangers delete during the import', () =>
    inWorld({ scope: 'community' }, (world) => {
      const key = tidAt(1_750_000_000_000_000)
      world.importFollows([line(cora, ben, tidAt(1))])
      world.delete(`at://${anna}/${FOLLOW}/${key}`)
      expect(world.importFollows([line(anna, ben, key)])).toMatchObject({ undone: 1 })
      expect(isFollowing(world, anna, ben)).toBe(false)
    }))

  it('adds the same follow that the stream delivers, not a second one', () =>
    inWorld({ scope: 'network' }, (world) => {
      const [event] = world.hold(() => world.follow(anna, ben))
      world.importFollows([line(anna, ben, (event as { rkey: string }).rkey)])
      world.apply([event!])
      expect(countRows(world, 'follows')).toBe(1)
      expect(follows(world, anna)).toBe(1)
    }))

  it('skips deleted accounts, and members whose own list is complete', () =>
    inWorld({ members: ['cora'] }, (world) => {
      world.follow(cora, anna)
      world.follow(anna, ben)
      world.status(anna, 'deleted')
      const list = [line(anna, cora, tidAt(5)), line(cora, ben, tidAt(6))]
      expect(world.importFollows(list)).toMatchObject({ gone: 1, complete: 1, added: 0 })
    }))

  it('takes only lines in scope if so requested', () =>
    inWorld({ members: ['cora'] }, (world) => {
      world.follow(cora, ben)
      const list = [line(anna, ben, tidAt(5)), line(anna, didOf('dora'), tidAt(6))]
      const tally = world.importFollows(list, { isInScopeOnly: true })
      expect(tally).toMatchObject({ added: 1, outOfScope: 1 })
      expect(isFollowing(world, anna, ben)).toBe(true)
    }))
})

describe('a list without record keys', () => {
  it('is replaced by the pair’s record when it arrives, once', () =>
    inWorld({ scope: 'network' }, (world) => {
      world.importFollows([line(anna, ben)])
      expect(isFollowing(world, anna, ben)).toBe(true)
      const follow = world.follow(anna, ben)
      expect(countRows(world, 'follows')).toBe(1)
      expect(follows(world, anna)).toBe(1)
      world.delete(follow)
      expect(isFollowing(world, anna, ben)).toBe(false)
    }))

  it('is also replaced by a list with keys', () =>
    inWorld({}, (world) => {
      world.importFollows([line(anna, ben), line(anna, ben, tidAt(7))])
      expect(countRows(world, 'follows')).toBe(1)
      const [edge] = followEdges.edgesOf(world.db, world.uid(anna))
      expect(unpackRkey(edge!.rkey)).toBe(tidAt(7))
    }))

  it('does not restore a pair that was unfollowed before', () =>
    inWorld({ scope: 'network' }, (world) => {
      world.delete(world.follow(anna, ben))
      expect(world.importFollows([line(anna, ben)])).toMatchObject({ undone: 1 })
      world.follow(anna, ben)
      expect(isFollowing(world, anna, ben)).toBe(true)
    }))

  it('has the account’s own list read if a deletion matches nothing, before or after', () =>
    inWorld({ scope: 'network' }, (world) => {
      world.importFollows([line(anna, ben)])
      expect(jobsOf(world)).toEqual([])
      world.delete(`at://${anna}/${FOLLOW}/${tidAt(3)}`)
      expect(jobsOf(world)).toContain(`follows ${world.uid(anna)}`)
      world.delete(`at://${cora}/${FOLLOW}/${tidAt(3)}`)
      world.importFollows([line(cora, ben)])
      expect(jobsOf(world)).toContain(`follows ${world.uid(cora)}`)
    }))
})

const names = Array.from({ length: 30 }, (_, i) => didOf(`account ${i}`))

function randomLine(random: Random): FollowLine {
  const rkey = random.chance(0.2) ? undefined : tidAt(1.7e15 + random.below(2_000) * 1e9)
  const text = random.chance(0.02) ? 'self' : rkey
  return line(random.pick(names), random.pick(names), text)
}

/** Earlier stream events: some follows of the list, some of them deleted again. */
function makePast(world: World, random: Random, list: readonly FollowLine[]): void {
  for (const { did, subject, rkey } of list) {
    if (random.chance(0.6)) continue
    const record = { subject, createdAt: world.isoNow() }
    const made = world.write({ did, collection: FOLLOW, record, ...(rkey && { rkey }) })
    if (random.chance(0.5)) world.delete(made)
  }
}

function stateOf(world: World): unknown {
  const edges = names.flatMap((did) => {
    const uid = world.uid(did)
    return [...followEdges.edgesOf(world.db, uid)].map(
      (edge) =>
        `${did} ${unpackRkey(edge.rkey)} ${world.actors.didOf(edge.subject)} ${edge.sortAt}`,
    )
  })
  const counts = world.db.prepare(
    'SELECT did, follows_count, followers_count FROM actors WHERE did = ?',
  )
  return { edges: edges.sort(), counts: names.map((did) => counts.get(did)) }
}

describe('in bulk', () => {
  it.each([7, 50, 100_000])(
    'gives the same result as line by line, with %i lines a pass',
    (passLines) => {
      const seed = testSeed('import-follows')
      const random = createRandom(seed)
      const list = Array.from({ length: 400 }, () => randomLine(random))
      // If the list gives a key to two subjects, the first one wins, in every pass size.
      const pastSeed = random.below(1e9)
      inWorld({ scope: 'network', members: ['account 3'] }, (item) =>
        inWorld({ scope: 'network', members: ['account 3'] }, (other) => {
          for (const world of [item, other]) makePast(world, createRandom(pastSeed), list)
          item.importFollows(list)
          const actors = createActorTable()
          rebuildActors(other.db, actors)
          const { db } = other
          const writer = createWriter({ db, memory: { actors }, scope: 'network', now: other.now })
          const bulk = createBulkImport({
            actors,
            writer,
            scope: 'network',
            isInScopeOnly: false,
            passLines,
          })
          bulk.add(list.slice(0, 150))
          bulk.add(list.slice(150))
          bulk.finish()
          const loaded = loadGraph(
            db,
            (chunks) => loadFollowGraph(chunks, countActors(db)),
            () => false,
          )
          other.restart()
          expect(stateOf(other)).toEqual(stateOf(item))
          expect(loaded?.graph.edgeCount).toBe(other.graph.edgeCount)
          expect(other.graph.edgeCount).toBe(item.graph.edgeCount)
        }),
      )
    },
  )
})

describe('in slices while the stream continues', () => {
  const sizes = [1, 7, 60, 1_000]

  function importInSlices(world: World, list: readonly FollowLine[], size: number): ImportTally {
    const sum = emptyTally()
    for (let at = 0; at < list.length; at += size) {
      addTo(sum, world.importFollows(list.slice(at, at + size)))
    }
    return sum
  }

  function importOneByOne(world: World, list: readonly FollowLine[]): ImportTally {
    const tally = emptyTally()
    for (const followLine of list) {
      world.run((ctx) => {
        ctx.happenedAt = 0
        tally[importFollow(ctx, followLine)]++
      })
    }
    return tally
  }

  /** Includes the input for rebuilding the graph at a start, and the jobs for whole lists. */
  function everythingOf(world: World): unknown {
    const before = { edges: world.graph.edgeCount, state: stateOf(world), jobs: jobsOf(world) }
    const journal = world.db.prepare('SELECT count(*) FROM graph_changes').pluck().get()
    world.restart()
    expect(world.graph.edgeCount).toBe(before.edges)
    return { ...before, jobs: before.jobs.sort(), journal }
  }

  it.each(sizes)(
    'gives the same result and counts as line by line, with %i lines a slice',
    (size) => {
      const random = createRandom(testSeed('import-slices'))
      const list = Array.from({ length: 400 }, () => randomLine(random))
      const pastSeed = random.below(1e9)
      const options: WorldOptions = { scope: 'network', members: ['account 3'] }
      inWorld(options, (option) =>
        inWorld(options, (other) => {
          for (const world of [option, other]) makePast(world, createRandom(pastSeed), list)
          const tally = importOneByOne(option, list)
          expect(importInSlices(other, list, size)).toEqual(tally)
          expect(everythingOf(other)).toEqual(everythingOf(option))
        }),
      )
    },
  )
})

describe('the lines of a list', () => {
  it('are read in chunks of any size', () => {
    const text = `creator,subject,rkey\r\n${anna},${ben}\r\n\n# note\n"${anna}","${cora}",${tidAt(9)}\nx,y\n${anna}\n${anna},${ben},!\n${'z'.repeat(2_049)}\n${ben},${cora}`
    for (const size of [1, 3, 64, 10_000]) {
      const reader = createFollowReader()
      const found: FollowLine[] = []
      for (let at = 0; at < text.length; at += size)
        found.push(...reader.take(text.slice(at, at + size)))
      found.push(...reader.finish())
      expect(found).toEqual([line(anna, ben), line(anna, cora, tidAt(9)), line(ben, cora)])
      expect(reader).toMatchObject({ lines: 10, bad: 4 })
      expect(reader.badLines.map((badLine) => [badLine.line, badLine.reason])).toEqual([
        [6, 'did'],
        [7, 'columns'],
        [8, 'rkey'],
        [9, 'too-long'],
      ])
    }
  })
})
