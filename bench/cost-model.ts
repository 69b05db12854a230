// What communities of 10,000, 100,000 and 1,000,000 members cost, by the model in cost/model.ts over unit
// costs measured earlier (docs/figures.json). Two checks compare the model's predictions with a community's
// graph, accounts and timelines built for real, and with the running server of bench/memory.ts. docs/COST.md
// lists the assumptions and the limits of one machine.

import { join } from 'node:path'
import { createFollowGraph, createTimelines } from '@slipstream/follow-graph'
import { createActorTable } from '../src/data/graph/actor-table.ts'
import { createIsDrawn, drawByHash } from '../src/data/graph/lossiness.ts'
import { fanOut } from '../src/ingest/indexing/memory/fan-out.ts'
import { didOf } from '../test/support/network-stream.ts'
import { createRandom } from '../test/support/random.ts'
import {
  type Cost,
  costOf,
  habits,
  liveFactor,
  memoryOf,
  type Network,
  networks,
  type UnitCosts,
  unitFigures,
} from './cost/model.ts'
import { drawNeighbourhood, type Neighbourhood } from './cost/neighbourhood.ts'
import { readSaved } from './cost/saved-units.ts'
import type { BenchOptions, BenchResult } from './runner/result.ts'
import { onceNs } from './support/cpu-time.ts'

const DOCS = join(import.meta.dirname, '../docs')
const UNITS = [join(DOCS, 'figures.json'), join(DOCS, 'plots/data.json')]
const TIMELINE_LENGTH = 1_000
const POSTS = 2_000
const CELEBRITY_THRESHOLD = 10_000
const MB = 2 ** 20
/** Members in bench/memory.ts. */
const LIVE_MEMBERS = 100

export function bench({ full, wants }: BenchOptions): BenchResult[] {
  const units = readSaved(UNITS, unitFigures)
  const powers = full ? [4, 5, 6] : [4]
  const results = Object.entries(networks).flatMap(([name, network]) =>
    powers.flatMap((power) => {
      const cost = costOf(units, draw(10 ** power, network), network)
      return figures(`cost.${name}.1e${power}`, cost)
    }),
  )
  results.push(...live(units))
  if (wants('cost.check')) results.push(...check(units, full ? 10_000 : 500))
  return results
}

function draw(members: number, { accounts }: Network): Neighbourhood {
  return drawNeighbourhood({
    members,
    followsEach: habits.followsEach,
    accounts,
    localShare: 0.3,
    localPerMember: 10,
    celebrityThreshold: CELEBRITY_THRESHOLD,
  })
}

function figures(name: string, cost: Cost): BenchResult[] {
  const { ramGb, cores } = cost
  return [
    { name: `${name}.authors`, value: cost.authors, unit: 'accounts' },
    { name: `${name}.edges`, value: cost.edges, unit: 'follows' },
    { name: `${name}.ram.graph`, value: ramGb.graph, unit: 'GB' },
    { name: `${name}.ram.accounts`, value: ramGb.accounts, unit: 'GB' },
    { name: `${name}.ram.timelines`, value: ramGb.timelines, unit: 'GB' },
    { name: `${name}.ram`, value: ramGb.total, unit: 'GB' },
    { name: `${name}.cores.ingest`, value: cores.ingest, unit: 'cores' },
    { name: `${name}.cores.fan_out`, value: cores.fanOut, unit: 'cores' },
    { name: `${name}.cores.serving`, value: cores.serving, unit: 'cores' },
    { name: `${name}.cores.serving_at_peak`, value: cores.servingAtPeak, unit: 'cores' },
    { name: `${name}.disk`, value: cost.diskGbADay, unit: 'GB/day' },
    { name: `${name}.disk.at_first`, value: cost.diskGbAtFirst, unit: 'GB' },
    { name: `${name}.bandwidth.in`, value: cost.inGbADay, unit: 'GB/day' },
    { name: `${name}.bandwidth.out`, value: cost.outGbADay, unit: 'GB/day' },
  ]
}

/**
 * A running server as measured by bench/memory.ts, next to the model's prediction for its sizes.
 */
function live(units: UnitCosts): BenchResult[] {
  const { edges, rssMb } = readSaved(UNITS, { edges: 'memory.edges', rssMb: 'memory.rss_mb' })
  const community = { members: LIVE_MEMBERS, edges, network: networks.active }
  const modelled = memoryOf(units, community).total * 1000
  return [
    { name: 'cost.live.ram.modelled', value: modelled, unit: 'MB' },
    { name: 'cost.live.ram.measured', value: rssMb, unit: 'MB' },
    { name: 'cost.live.ram.ratio', value: rssMb / modelled, unit: 'measured/model' },
    { name: 'cost.live.stream.factor', value: liveFactor(units), unit: 'live/at once' },
  ]
}

/**
 * Builds members with their follows and full timelines, as many accounts as the model predicts they
 * know, and as many further edges as the authors' lists have.
 */
function check(units: UnitCosts, members: number): BenchResult[] {
  const community = draw(members, networks.active)
  const cost = costOf(units, community, networks.active)
  globalThis.gc?.()
  const before = process.memoryUsage().rss
  const parts = build(members, community, cost)
  globalThis.gc?.()
  const measured = (process.memoryUsage().rss - before) / MB
  const modelled = ((cost.ramGb.total - cost.ramGb.base) * 1e9) / MB
  const fanned = fanOutPosts(parts, members)
  return [
    { name: 'cost.check.members', value: members, unit: 'members' },
    { name: 'cost.check.edges', value: parts.graph.edgeCount, unit: 'follows' },
    { name: 'cost.check.ram.modelled', value: modelled, unit: 'MB' },
    { name: 'cost.check.ram.measured', value: measured, unit: 'MB' },
    { name: 'cost.check.ram.ratio', value: measured / modelled, unit: 'measured/model' },
    { name: 'cost.check.writes_per_post.modelled', value: community.writesPerPost, unit: 'writes' },
    { name: 'cost.check.writes_per_post.measured', value: fanned.writes, unit: 'writes' },
    { name: 'cost.check.fan_out.modelled', value: fanned.modelledUs(units), unit: 'µs a post' },
    { name: 'cost.check.fan_out.measured', value: fanned.us, unit: 'µs a post' },
  ]
}

function build(members: number, { authors }: Neighbourhood, cost: Cost) {
  const random = createRandom(members)
  const actors = createActorTable()
  const graph = createFollowGraph()
  const timelines = createTimelines(TIMELINE_LENGTH)
  const known = Math.min(networks.active.accounts, Math.round(cost.edges * 0.25))
  for (let n = 0; n < known; n++) actors.intern(didOf(n))
  // Accounts in order of popularity, followed by the members.
  const anyone = () => 1 + Math.floor(known * random.next() ** 3)
  for (let i = 0; i < members * habits.followsEach; i++)
    graph.add(known + 1 + (i % members), anyone())
  const spread = Math.max(1, Math.floor(known / Math.max(1, authors)))
  // Some pairs are drawn twice.
  for (let i = 0; i < cost.edges * 2 && graph.edgeCount < cost.edges; i++) {
    graph.add(1 + ((random.below(authors) * spread) % known), anyone())
  }
  for (let i = 1; i <= members; i++) timelines.open(known + i, fullTimeline(), true)
  return { actors, graph, timelines, known, anyone }
}

function fullTimeline() {
  return Array.from({ length: TIMELINE_LENGTH }, (_, i) => ({
    sortAt: 1_790_000_000_000 - i,
    rank: 0,
    item: 2 * (TIMELINE_LENGTH - i),
    originator: 1,
  }))
}

function fanOutPosts({ graph, timelines, anyone }: ReturnType<typeof build>, members: number) {
  const isHashDrawn = createIsDrawn({
    graph,
    limit: 2_000,
    draw: drawByHash({ hashOf: (uid) => uid }),
  })
  const isCelebrity = { flagsOf: () => 0 }
  const originators = Uint32Array.from({ length: POSTS }, anyone)
  let written = 0
  let item = TIMELINE_LENGTH * 4
  const ns = onceNs(POSTS, () => {
    for (const originator of originators) {
      item += 2
      const entry = { sortAt: 1_790_000_000_000 + item, rank: 0, item, originator }
      written += fanOut({ graph, timelines, isHashDrawn, actors: isCelebrity }, entry, item).written
    }
  })
  const writes = written / POSTS
  return {
    writes: members === 0 ? 0 : writes,
    us: ns / 1000,
    modelledUs: ({ fanOutWriteNs }: UnitCosts) => (writes * fanOutWriteNs) / 1000,
  }
}
