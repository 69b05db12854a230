// What the names on the command line of `npm run bench` mean, and that every figure that was promised
// has a benchmark that prints it.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { benchNames, choose, isFrom, missingFigures } from '../../bench/choice.ts'
import { wantsOf } from '../../bench/result.ts'
import { headLine, summaryLines, tableLine } from '../../bench/table.ts'
import { isMet, limitText, targetOf, targets } from '../../bench/targets.ts'

const benches = ['decode', 'fan-out', 'get-timeline', 'graph', 'serving', 'timeline']

/** Issue 3, deliverable 4. */
const promised = `graph.add.100k.ns graph.contains.100k.ns graph.remove.100k.ns graph.bytes_per_edge
  snapshot.load_160m.s socialProof.rps_per_core socialProof.p99_ms fanout.2m.ms
  timeline.skeleton.1m.us getTimeline.cpu_ms getTimeline.p99_ms getKnownFollowers.cpu_ms
  decode.frames_per_s ingest.community.events_per_s ingest.network.events_per_s visible.p99_ms
  memory.rss_mb`.split(/\s+/)

describe('names', () => {
  test('no name means every benchmark and all of its figures', () => {
    const { chosen, unknown } = choose([], benches)
    expect(chosen.map(({ bench }) => bench)).toEqual(benches)
    expect(chosen.every(({ figures }) => figures.length === 0)).toBe(true)
    expect(unknown).toEqual([])
  })

  test('the beginning of a file’s name means all of its figures', () => {
    expect(choose(['dec', 'graph'], benches).chosen).toEqual([
      { bench: 'decode', figures: [] },
      { bench: 'graph', figures: [] },
    ])
  })

  test('a figure, or the beginning of one, means the benchmark that gives it and that figure alone', () => {
    expect(choose(['fanout.2m.ms'], benches).chosen).toEqual([
      { bench: 'fan-out', figures: ['fanout.2m.ms'] },
    ])
    expect(choose(['getTimeline', 'socialProof.p99_ms'], benches).chosen).toEqual([
      { bench: 'serving', figures: ['getTimeline', 'socialProof.p99_ms'] },
    ])
  })

  test('a figure without a target is looked for where its like are', () => {
    expect(choose(['getTimeline.quiet_20.cpu_ms'], benches).chosen).toEqual([
      { bench: 'serving', figures: ['getTimeline.quiet_20.cpu_ms'] },
    ])
  })

  test('a file asked for whole stays whole, whichever of its figures is named beside it', () => {
    const whole = [{ bench: 'timeline', figures: [] }]
    expect(choose(['timeline', 'timeline.skeleton.1m.us'], benches).chosen).toEqual(whole)
    expect(choose(['timeline.skeleton.1m.us', 'timeline'], benches).chosen).toEqual(whole)
  })

  test('a name that means nothing is told', () => {
    const { chosen, unknown } = choose(['nonsense', 'graph'], benches)
    expect(unknown).toEqual(['nonsense'])
    expect(chosen).toEqual([{ bench: 'graph', figures: [] }])
  })
})

describe('figures', () => {
  test('a benchmark is asked for what begins a wanted figure, and for what a wanted figure begins', () => {
    const wants = wantsOf(['getTimeline.p99_ms', 'socialProof'])
    expect(wants('getTimeline')).toBe(true)
    expect(wants('getTimeline.p99_ms')).toBe(true)
    expect(wants('getTimeline.cpu_ms')).toBe(false)
    expect(wants('socialProof.p99_ms')).toBe(true)
    expect(wants('getKnownFollowers')).toBe(false)
    expect(wantsOf([])('anything')).toBe(true)
  })

  test('one with a target is taken from the benchmark that the target names', () => {
    const figure = { name: 'getTimeline.cpu_ms', value: 1, unit: 'ms' }
    expect(isFrom('serving', figure, benches)).toBe(true)
    expect(isFrom('get-timeline', figure, benches)).toBe(false)
    expect(isFrom('get-timeline', figure, ['get-timeline'])).toBe(true)
    const [like, finer] = ['getTimeline.rps', 'getTimeline.quiet_20.rps']
    expect(isFrom('get-timeline', { ...figure, name: like }, benches)).toBe(false)
    expect(isFrom('serving', { ...figure, name: like }, benches)).toBe(true)
    expect(isFrom('get-timeline', { ...figure, name: finer }, benches)).toBe(true)
    expect(isFrom('get-timeline', { ...figure, name: 'other' }, benches)).toBe(true)
  })

  test('a whole run knows which figures it owes', () => {
    const all = targets.map(({ figure }) => figure)
    expect(missingFigures(all, true)).toEqual([])
    expect(missingFigures(all.slice(1), false)).toEqual(all.slice(0, 1))
    const withoutFull = all.filter((figure) => figure !== 'snapshot.load_160m.s')
    expect(missingFigures(withoutFull, false)).toEqual([])
    expect(missingFigures(withoutFull, true)).toEqual(['snapshot.load_160m.s'])
  })

  test.each(promised)('%s has a target, and a benchmark that says it', (figure) => {
    const target = targetOf(figure)
    expect(target).toBeDefined()
    const names = benchNames()
    expect(names).toContain(target!.bench)
    const path = join(import.meta.dirname, `../../bench/${target!.bench}.ts`)
    const source = readFileSync(path, 'utf8')
    const parts = figure.split('.')
    // Some are put together from a label: their first and last words are there.
    for (const part of [parts[0]!, parts.at(-1)!]) expect(source).toContain(part)
  })

  test('no figure has two targets, and only the load of 160 million edges needs --full', () => {
    expect(new Set(targets.map(({ figure }) => figure)).size).toBe(targets.length)
    const full = targets.filter(({ fullOnly }) => fullOnly).map(({ figure }) => figure)
    expect(full).toEqual(['snapshot.load_160m.s'])
  })
})

describe('the table', () => {
  test('says target and verdict where there is a target', () => {
    expect(tableLine({ name: 'getTimeline.cpu_ms', value: 0.61, unit: 'ms' })).toMatch(
      /^getTimeline\.cpu_ms +0\.61 ms +≤ 0\.6 MISS$/,
    )
    expect(tableLine({ name: 'decode.frames_per_s', value: 151_234, unit: 'frames/s' })).toMatch(
      /^decode\.frames_per_s +151,234 frames\/s +≥ 150,000 pass$/,
    )
    expect(tableLine({ name: 'other', value: 0.00001, unit: 'x' })).toMatch(/^other +0 x$/)
    expect(headLine()).toMatch(/^figure +value unit +target$/)
  })

  test('sums up what was met and missed', () => {
    const results = [
      { name: 'fanout.2m.ms', value: 500, unit: 'ms' },
      { name: 'memory.rss_mb', value: 400.1, unit: 'MB' },
      { name: 'other', value: 1, unit: 'x' },
    ]
    expect(summaryLines(results)).toEqual(['', '1 of 2 targets met; missed: memory.rss_mb'])
    expect(summaryLines(results.slice(0, 1))).toEqual(['', '1 of 1 targets met'])
    expect(summaryLines([])).toEqual([])
  })

  test('a limit itself is met, on either side', () => {
    const [atMost, atLeast] = [targetOf('visible.p99_ms')!, targetOf('socialProof.rps_per_core')!]
    expect([isMet(atMost, 100), isMet(atMost, 100.1)]).toEqual([true, false])
    expect([isMet(atLeast, 10_000), isMet(atLeast, 9_999)]).toEqual([true, false])
    expect([limitText(atMost), limitText(atLeast)]).toEqual(['≤ 100', '≥ 10,000'])
  })
})
