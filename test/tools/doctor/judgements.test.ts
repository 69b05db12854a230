// The doctor's judgement of figures that no test machine has.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { UNITS } from '../../../src/base/config/memory.ts'
import { schemaVersion } from '../../../src/data/store/migrate.ts'
import { aboutAge } from '../../../src/tools/doctor/certificate.ts'
import { aboutSkew } from '../../../src/tools/doctor/clock.ts'
import type { DoctorContext } from '../../../src/tools/doctor/context.ts'
import { aboutEnds, aboutSchema } from '../../../src/tools/doctor/database.ts'
import { aboutBounds, aboutCapacity, aboutKind } from '../../../src/tools/doctor/disk.ts'
import { examine } from '../../../src/tools/doctor/examine.ts'
import { good, wrong } from '../../../src/tools/doctor/finding.ts'
import { aboutMemory, aboutSeats, neededBytes } from '../../../src/tools/doctor/memory.ts'
import { memoryLimitOf } from '../../../src/tools/doctor/memory-limit.ts'
import { whyNot } from '../../../src/tools/doctor/network/why-not.ts'
import { aboutNode, aboutOpenFiles } from '../../../src/tools/doctor/runtime.ts'
import { aboutBudget, aboutTraffic, aboutUnsigned } from '../../../src/tools/doctor/server.ts'

const GB = 1e9
const LIMITS = {
  timelineLength: 1000,
  answerCacheMb: 96,
  memoryMb: 0,
  serveThreads: 1,
  processBytes: 0,
}

describe('disk space', () => {
  const capacity = (freeBytes: number, more: object = {}) =>
    aboutCapacity({ freeBytes, databaseBytes: 0, ...more }, '/data')

  it.each([
    [0.3 * GB, 'wrong'],
    [1 * GB, 'notice'],
    [50 * GB, 'good'],
  ])('%i free bytes are %s', (freeBytes, level) => {
    expect(capacity(freeBytes)).toMatchObject([{ level }])
  })

  it('warns if a copy of the database does not fit', () => {
    expect(capacity(10 * GB, { databaseBytes: 20 * GB })[1]).toMatchObject({
      level: 'notice',
      fix: expect.stringMatching(/slipstream backup --into/),
    })
  })

  it.each([
    [0x6969, 'wrong', /NFS/],
    [0x794c7630, 'notice', /overlay: everything is lost with the container/],
    [0xff534d42, 'wrong', /CIFS/],
  ] as const)('judges a disk of kind %i: %s', (type, level, text) => {
    expect(aboutKind(type, '/data')).toMatchObject([{ level, text: expect.stringMatching(text) }])
  })

  it('says that the disk is nearly used up if it is bounded', () => {
    const wide = { freeBytes: 50 * GB, databaseBytes: 9.5 * GB, capBytes: 0, reserveBytes: GB }
    const levels = [wide, { ...wide, capBytes: 10 * GB }, { ...wide, reserveBytes: 60 * GB }].map(
      (bounds) => aboutBounds(bounds).map(({ level }) => level),
    )
    expect(levels).toEqual([[], ['notice'], ['notice']])
  })

  it('accepts the usual local disks: ext4, XFS, btrfs, ZFS', () => {
    const types = [0xef53, 0x58465342, 0x9123683e, 0x2fc12fc1]
    expect(types.flatMap((type) => aboutKind(type, '/data'))).toEqual([])
  })
})

describe('sources', () => {
  it('names each host that said what was not signed, or kept something back', () => {
    expect(aboutUnsigned(undefined)).toEqual([])
    const counts = { 'wss://jet.example forged': 3, 'wss://relay.example bad-signature': 1 }
    expect(aboutUnsigned(counts)).toMatchObject([
      { level: 'notice', text: expect.stringMatching(/jet\.example sent 3 times .*\(forged\)/) },
      { level: 'notice', text: expect.stringMatching(/relay\.example sent 1 times/) },
    ])
  })
})

describe('traffic', () => {
  const judge = (monthAhead: number | undefined, streamAllowanceGbMonth: number) => {
    const rest = { today: 0, thisMonth: 0, sources: [], collections: [] }
    const traffic = { ...rest, monthAhead, dayAhead: monthAhead && monthAhead / 30 }
    return aboutTraffic({ facts: { traffic } }, { streamAllowanceGbMonth })
  }

  it('is judged by the allowance, and not without one', () => {
    expect(judge(270 * GB, 0)).toEqual([])
    expect(judge(undefined, 200)).toEqual([])
    expect(judge(150 * GB, 200)).toMatchObject([{ level: 'good' }])
    expect(judge(270 * GB, 200)).toMatchObject([
      { level: 'notice', text: expect.stringMatching(/270 GB a month, of 200 GB allowed/) },
    ])
  })
})

describe('the budget of the streams', () => {
  const judge = (thisMonth: number, level: 0 | 1 | 4, months: number[]) => {
    const traffic = { today: 0, thisMonth, sources: [], collections: [] }
    const ahead = { dayAhead: undefined, monthAhead: undefined }
    const choices = months.map((monthBytes, i) => ({ name: `level ${i}`, monthBytes }))
    const streamChoice = { level, since: Date.UTC(2026, 10, 3), choices }
    const facts = { traffic: { ...traffic, ...ahead }, streamChoice }
    return aboutBudget({ facts }, { streamBudgetGbMonth: 150 })
  }
  const months = [270, 140, 110, 90, 20].map((gb) => gb * GB)

  it('says what is left out, and what each choice saves', () => {
    expect(judge(10 * GB, 1, months)).toMatchObject([
      {
        level: 'good',
        text: expect.stringMatching(
          /10 GB of 150 GB .* level 1, since 2026-11-03.*level 1 \(now\) 140 GB, saves 130 GB/,
        ),
      },
    ])
  })

  it('warns once the month is used up, or can’t be enough', () => {
    expect(judge(160 * GB, 1, months)).toMatchObject([
      { level: 'notice', text: expect.stringMatching(/used up/) },
    ])
    const large = months.map((bytes) => bytes * 10)
    expect(judge(10 * GB, 4, large)).toMatchObject([
      { level: 'notice', text: expect.stringMatching(/does not fit/) },
    ])
  })
})

describe('memory', () => {
  it('is estimated with the units of docs/COST.md', () => {
    const path = join(import.meta.dirname, '../../../docs/figures.json')
    const figures = JSON.parse(readFileSync(path, 'utf8')) as Record<string, { value: number }>
    const of = (name: string) => figures[name]!.value
    const near = (value: number) => ({ least: value / 2, most: value * 2 })
    const pairs = [
      [UNITS.emptyBytes, of('memory.empty.rss_mb') * 1e6],
      [UNITS.bytesPerEdge, of('graph.bytes_per_edge')],
      [UNITS.bytesPerAccount, (of('cost.active.1e4.ram.accounts') * GB) / 5_500_000],
      [UNITS.bytesPerTimelineItem, (of('cost.active.1e4.ram.timelines') * GB) / 10_000 / 1_000],
      [UNITS.measuredOverModel, of('cost.check.ram.ratio')],
    ] as const
    for (const [unit, figure] of pairs) {
      expect(unit).toBeGreaterThan(near(figure).least)
      expect(unit).toBeLessThan(near(figure).most)
    }
  })

  it('includes what features’ processes need, and caches of each serving thread', () => {
    const sizes = { members: 5, actors: 0, follows: 0 }
    const two = { ...LIMITS, serveThreads: 2, processBytes: GB }
    const more = neededBytes(sizes, two) - neededBytes(sizes, LIMITS)
    expect(more).toBe(GB + LIMITS.answerCacheMb * 1e6)
  })

  it('of 1 GB is enough for a small place, but not for ten thousand members', () => {
    const small = { members: 5, actors: 80_000, follows: 300_000 }
    const large = { members: 10_000, actors: 5_500_000, follows: 160_000_000 }
    const judge = (sizes: typeof small, available: number) =>
      aboutMemory({ needed: neededBytes(sizes, LIMITS), available }, sizes).level
    expect([judge(small, GB), judge(large, GB), judge(large, 8 * GB)]).toEqual([
      'good',
      'wrong',
      'good',
    ])
  })

  it('reports if more members are admitted than memory allows', () => {
    const sizes = { members: 5, actors: 80_000, follows: 300_000 }
    const judge = (maxMembers: number, members: 'open' | string[], available = GB) =>
      aboutSeats({ needed: neededBytes(sizes, LIMITS), available }, sizes, {
        ...LIMITS,
        maxMembers,
        members,
      }).map(({ level, fix }) => [level, /MemoryMax=.*SLIPSTREAM_MAX_MEMBERS/.test(fix!)])
    const found = [['notice', true]]
    expect(judge(10_000, 'open')).toEqual([])
    expect(judge(100_000, 'open')).toEqual(found)
    expect(judge(100_000, ['invite'])).toEqual(found)
    expect(judge(100_000, 'open', 8 * GB)).toEqual([])
    expect(judge(100_000, ['did:web:a.example'])).toEqual([])
    expect(judge(0, 'open')).toEqual([])
  })

  it('is limited by the server’s control group and its ancestors, of either version', () => {
    const machine = mkdtempSync(join(tmpdir(), 'slipstream-groups-'))
    const file = (path: string, text: string) => {
      mkdirSync(dirname(join(machine, path)), { recursive: true })
      writeFileSync(join(machine, path), text)
    }
    file('proc/1/cgroup', '0::/system.slice/slipstream.service\n')
    file('sys/fs/cgroup/system.slice/memory.max', 'max\n')
    file('proc/2/cgroup', '0::/\n')
    file('proc/3/cgroup', '9:cpu:/a\n8:memory:/a/b\n0::/\n')
    file('sys/fs/cgroup/memory/a/memory.limit_in_bytes', '300\n')
    file('sys/fs/cgroup/memory/a/b/memory.limit_in_bytes', '400\n')
    expect([1, 2, 3, 4].map((pid) => memoryLimitOf(pid, machine))).toEqual([
      undefined,
      undefined,
      300,
      undefined,
    ])
    file('sys/fs/cgroup/system.slice/slipstream.service/memory.max', '858993459\n')
    expect(memoryLimitOf(1, machine)).toBe(858_993_459)
    file('sys/fs/cgroup/system.slice/memory.max', '500\n')
    file('sys/fs/cgroup/memory.max', '200\n')
    expect([memoryLimitOf(1, machine), memoryLimitOf(2, machine)]).toEqual([200, 200])
    rmSync(machine, { recursive: true })
  })
})

it('reports an old Node, a low limit of open files, and the meaning of a schema version', () => {
  expect(aboutNode('22.9.0')).toMatchObject({
    level: 'wrong',
    fix: expect.stringMatching(/scripts/),
  })
  expect(aboutNode('24.1.0').level).toBe('good')
  expect(aboutOpenFiles('Max open files            1024                 4096 files')).toMatchObject(
    [{ level: 'notice', fix: expect.stringMatching(/ulimit -n/) }],
  )
  expect(
    [schemaVersion - 1, schemaVersion, schemaVersion + 1].map((n) => aboutSchema(n).level),
  ).toEqual(['notice', 'good', 'wrong'])
})

it('says that the server kept ending, and where the log is', () => {
  const now = Date.parse('2026-11-28T12:00:00Z')
  const ago = (hours: number, ends?: number) => {
    const to = now - hours * 3_600_000
    return { from: to - 5_000, to, ...(ends !== undefined && { ends }) }
  }
  expect(aboutEnds([ago(30, 4), ago(3)], now)).toEqual([])
  expect(aboutEnds([ago(30, 4), ago(3, 1)], now)[0]?.text).toMatch(
    /unexpectedly once in the last day/,
  )
  expect(aboutEnds([ago(30, 4), ago(3), ago(2, 6), ago(1, 1)], now)).toEqual([
    {
      level: 'notice',
      text: expect.stringMatching(/unexpectedly 7 times.*before 2026-11-28T11:00:00.000Z/),
      fix: expect.stringMatching(/log says why/),
    },
  ])
})

it.each([
  [0, 'good'],
  [1_900, 'good'],
  [-7_000, 'notice'],
  [31_000, 'wrong'],
])('a clock that is %i ms off is %s', (ms, level) => {
  expect(aboutSkew(ms, 3).level).toBe(level)
})

it.each([
  [90, 60, 'good'],
  [90, 10, 'notice'],
  [6, 3, 'good'],
  [6, 1, 'notice'],
])('a certificate of %i days with %i left is %s', (life, left, level) => {
  const day = (n: number) => new Date(n * 86_400_000).toISOString()
  const dates = { valid_from: day(1_000 - life), valid_to: day(1_000) }
  expect(aboutAge(dates, (1_000 - left) * 86_400_000).level).toBe(level)
})

it('explains a missing answer by its innermost cause', () => {
  const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
  expect(whyNot(new Error('fetch failed', { cause: refused }))).toEqual({
    code: 'ECONNREFUSED',
    text: 'it refuses the connection',
  })
  expect(whyNot(new Error('something else')).text).toBe('something else')
})

it('continues after a check that fails or never ends', async () => {
  const messages: string[] = []
  const checks = [
    { area: 'never', run: () => new Promise<never>(() => undefined) },
    { area: 'throws', run: () => Promise.reject(new Error('broken')) },
    { area: 'fine', run: () => [good('fine')] },
    { area: 'bad', run: () => [wrong('bad', 'mend it')] },
  ]
  const onDone = ({ area }: { area: string }) => messages.push(area)
  const { ok, areas } = await examine(checks, {} as DoctorContext, { timeoutMs: 20, onDone })
  expect(ok).toBe(false)
  expect(areas.map(({ findings }) => findings[0]!.level)).toEqual([
    'unchecked',
    'unchecked',
    'good',
    'wrong',
  ])
  expect(messages.toSorted()).toEqual(['bad', 'fine', 'never', 'throws'])
})
