// The cost model against hand calculations and against limits it must respect.

import { describe, expect, test } from 'vitest'
import { costOf, eventsPerS, habits, networks, type UnitCosts } from '../../bench/cost/model.ts'
import { drawNeighbourhood, type Neighbourhood } from '../../bench/cost/neighbourhood.ts'

const units: UnitCosts = {
  baseMb: 200,
  bytesPerEdge: 12,
  bytesPerAccount: 32,
  timelineMbPerThousand: 16,
  communityEventsPerS: 50_000,
  communityKeptShare: 0.1,
  networkEventsPerS: 20_000,
  // From the two figures above with a tenth kept: 600 events take 0.012 s.
  liveCpuPercent: 1.2,
  liveEvents: 1_000,
  liveKeptEvents: 100,
  fanOutWriteNs: 100,
  timelineCpuMs: 0.5,
  timelineBytes: 100_000,
  otherCpuMs: 0.1,
  otherBytes: 10_000,
  diskPerPost: 500,
  diskPerLike: 24,
  diskPerFollow: 40,
}

const community: Neighbourhood = {
  members: 1_000,
  authors: 10_000,
  authorShare: 0.1,
  storedShare: 0.2,
  writesPerPost: 5,
}

describe('the model', () => {
  test('memory is the sum of its parts', () => {
    const { edges, ramGb } = costOf(units, community, networks.active)
    expect(edges).toBe(1_500_000)
    expect(ramGb.base).toBeCloseTo(0.2)
    expect(ramGb.graph).toBeCloseTo(0.018)
    expect(ramGb.accounts).toBeCloseTo((375_000 * 32) / 1e9)
    expect(ramGb.timelines).toBeCloseTo(0.016)
    expect(ramGb.total).toBeCloseTo(0.2 + 0.018 + 0.012 + 0.016)
  })

  test('a stream with the scopes’ own shares costs what was measured for them', () => {
    const { cores } = costOf(
      units,
      { ...community, storedShare: units.communityKeptShare },
      networks.active,
    )
    expect(cores.ingest).toBeCloseTo(eventsPerS() / units.communityEventsPerS)
    const all = costOf(units, { ...community, storedShare: 1 }, networks.active)
    expect(all.cores.ingest).toBeCloseTo(eventsPerS() / units.networkEventsPerS)
  })

  test('reading a stream live costs more by the factor measured on a live server', () => {
    const { cores } = costOf(units, community, networks.active)
    const live = costOf({ ...units, liveCpuPercent: 12 }, community, networks.active)
    expect(live.cores.ingest).toBeCloseTo(10 * cores.ingest)
  })

  test('serving is the members’ requests times their cost, and more at the peak', () => {
    const { cores, outGbADay } = costOf(units, community, networks.active)
    const msADay = 1_000 * (habits.timelinesADay * 0.5 + habits.othersADay * 0.1)
    expect(cores.serving).toBeCloseTo(msADay / 1000 / 86_400)
    expect(cores.servingAtPeak).toBeCloseTo(cores.serving * habits.peakFactor)
    const bytes = 1_000 * (habits.timelinesADay * 100_000 + habits.othersADay * 10_000)
    expect(outGbADay).toBeCloseTo((bytes * habits.compressedShare) / 1e9)
  })

  test('no community holds more follows than the network has', () => {
    const most = { ...community, authors: 40_000_000 }
    for (const network of Object.values(networks)) {
      expect(costOf(units, most, network).edges).toBe(network.follows)
    }
  })
})

describe('a community’s part of the network', () => {
  const options = {
    followsEach: 50,
    accounts: 100_000,
    localShare: 0.3,
    localPerMember: 10,
    celebrityThreshold: 1_000_000,
  }

  test('more members follow more accounts, each adding fewer new ones, and keep a larger share', () => {
    const positions = [10, 100, 1_000, 10_000].map((members) =>
      drawNeighbourhood({ ...options, members }),
    )
    for (const [i, { members, authors, authorShare, storedShare }] of positions.entries()) {
      expect(authors).toBeLessThanOrEqual(Math.min(options.accounts, members * 50))
      expect(storedShare).toBeGreaterThanOrEqual(authorShare)
      expect(storedShare).toBeLessThanOrEqual(1)
      const before = positions[i - 1]
      if (!before) continue
      expect(authors).toBeGreaterThan(before.authors)
      expect(authors / members).toBeLessThan(before.authors / before.members)
      expect(storedShare).toBeGreaterThan(before.storedShare)
    }
  })

  test('a post goes to as many members as follow its author, on average', () => {
    // Followed accounts and authors are drawn from the same distribution, so popular ones dominate
    // the mean.
    const { writesPerPost } = drawNeighbourhood({ ...options, members: 1_000 })
    expect(writesPerPost).toBeGreaterThan((1_000 * 50) / options.accounts)
    const merged = drawNeighbourhood({ ...options, members: 1_000, celebrityThreshold: 2 })
    expect(merged.writesPerPost).toBeLessThan(writesPerPost)
    expect(merged.writesPerPost).toBeLessThan(2)
  })
})
