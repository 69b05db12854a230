// How `npm run bench` interprets the names on its command line, and that a benchmark prints every promised
// figure.

import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { benchFiles, choose, isFrom, missingFigures } from '../../bench/runner/choice.ts'
import { wantsOf } from '../../bench/runner/result.ts'
import { headLine, summaryLines, tableLine } from '../../bench/runner/table.ts'
import { isMet, limitText, targetOf, targets } from '../../bench/runner/targets.ts'

const benches = ['decode', 'fan-out', 'get-timeline', 'graph', 'serving', 'timeline']

/** Issue 3, deliverable 4. */
const promised = `graph.add.100k.ns graph.contains.100k.ns graph.remove.100k.ns graph.bytes_per_edge
  snapshot.load_160m.s socialProof.rps_per_core socialProof.p99_ms fanout.2m.ms
  timeline.skeleton.1m.us getTimeline.cpu_ms getTimeline.p99_ms getKnownFollowers.cpu_ms
  decode.frames_per_s ingest.community.events_per_s ingest.network.events_per_s visible.p99_ms
  memory.rss_mb`.split(/\s+/)

describe('names', () => {
  test('no name selects every benchmark and all of its figures', () => {
    const { chosen, unknown } = choose([], benches)
    expect(chosen.map(({ bench }) => bench)).toEqual(benches)
    expect(chosen.every(({ figures }) => figures.length === 0)).toBe(true)
    expect(unknown).toEqual([])
  })

  test('a prefix of a file’s name selects all of its figures', () => {
    expect(choose(['dec', 'graph'], benches).chosen).toEqual([
      { bench: 'decode', figures: [] },
      { bench: 'graph', figures: [] },
    ])
  })

  test('a figure, or a prefix of one, selects its benchmark and only that figure', () => {
    expect(choose(['fanout.2m.ms'], benches).chosen).toEqual([
      { bench: 'fan-out', figures: ['fanout.2m.ms'] },
    ])
    expect(choose(['getTimeline', 'socialProof.p99_ms'], benches).chosen).toEqual([
      { bench: 'serving', figures: ['getTimeline', 'socialProof.p99_ms'] },
    ])
  })

  test('a figure without a target is expected from the source of similar ones', () => {
    expect(choose(['getTimeline.quiet_20.cpu_ms'], benches).chosen).toEqual([
      { bench: 'serving', figures: ['getTimeline.quiet_20.cpu_ms'] },
    ])
  })

  test('a file requested as a whole stays whole, even if one of its figures is named too', () => {
    const complete = [{ bench: 'timeline', figures: [] }]
    expect(choose(['timeline', 'timeline.skeleton.1m.us'], benches).chosen).toEqual(complete)
    expect(choose(['timeline.skeleton.1m.us', 'timeline'], benches).chosen).toEqual(complete)
  })

  test('reports an unknown name', () => {
    const { chosen, unknown } = choose(['nonsense', 'graph'], benches)
    expect(unknown).toEqual(['nonsense'])
    expect(chosen).toEqual([{ bench: 'graph', figures: [] }])
  })
})

describe('figures', () => {
  test('are requested by a prefix, and by any extension of their name', () => {
    const wants = wantsOf(['getTimeline.p99_ms', 'socialProof'])
    expect(wants('getTimeline')).toBe(true)
    expect(wants('getTimeline.p99_ms')).toBe(true)
    expect(wants('getTimeline.cpu_ms')).toBe(false)
    expect(wants('socialProof.p99_ms')).toBe(true)
    expect(wants('getKnownFollowers')).toBe(false)
    expect(wantsOf([])('anything')).toBe(true)
  })

  test('with a target are taken from the benchmark that the target names', () => {
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

  test('missing from a whole run are detected', () => {
    const all = targets.map(({ figure }) => figure)
    expect(missingFigures(all, true)).toEqual([])
    expect(missingFigures(all.slice(1), false)).toEqual(all.slice(0, 1))
    const withoutFull = all.filter((figure) => figure !== 'snapshot.load_160m.s')
    expect(missingFigures(withoutFull, false)).toEqual([])
    expect(missingFigures(withoutFull, true)).toEqual(['snapshot.load_160m.s'])
  })

  test.each(promised)('%s has a target, and a benchmark that prints it', (figure) => {
    const target = targetOf(figure)
    expect(target).toBeDefined()
    const path = benchFiles().get(target!.bench)
    expect(path).toBeDefined()
    const source = readFileSync(path!, 'utf8')
    const parts = figure.split('.')
    // Some names are built from a label, but their first and last parts appear in the source.
    for (const part of [parts[0]!, parts.at(-1)!]) expect(source).toContain(part)
  })

  test('no figure has two targets, and only the load of 160 million edges needs --full', () => {
    expect(new Set(targets.map(({ figure }) => figure)).size).toBe(targets.length)
    const full = targets.filter(({ fullOnly }) => fullOnly).map(({ figure }) => figure)
    expect(full).toEqual(['snapshot.load_160m.s'])
  })
})

describe('the table', () => {
  test('shows target and verdict if there is a target', () => {
    expect(tableLine({ name: 'getTimeline.cpu_ms', value: 0.61, unit: 'ms' })).toMatch(
      /^getTimeline\.cpu_ms +0\.61 ms +≤ 0\.6 MISS$/,
    )
    expect(tableLine({ name: 'decode.frames_per_s', value: 151_234, unit: 'frames/s' })).toMatch(
      /^decode\.frames_per_s +151,234 frames\/s +≥ 150,000 pass$/,
    )
    expect(tableLine({ name: 'other', value: 0.00001, unit: 'x' })).toMatch(/^other +0 x$/)
    expect(headLine()).toMatch(/^figure +value unit +target$/)
  })

  test('sums up the targets met and missed', () => {
    const results = [
      { name: 'fanout.2m.ms', value: 500, unit: 'ms' },
      { name: 'memory.rss_mb', value: 400.1, unit: 'MB' },
      { name: 'other', value: 1, unit: 'x' },
    ]
    expect(summaryLines(results)).toEqual(['', '1 of 2 targets met; missed: memory.rss_mb'])
    expect(summaryLines(results.slice(0, 1))).toEqual(['', '1 of 1 targets met'])
    expect(summaryLines([])).toEqual([])
  })

  test('counts the limit itself as met, on either side', () => {
    const [atMost, atLeast] = [targetOf('visible.p99_ms')!, targetOf('socialProof.rps_per_core')!]
    expect([isMet(atMost, 100), isMet(atMost, 100.1)]).toEqual([true, false])
    expect([isMet(atLeast, 10_000), isMet(atLeast, 9_999)]).toEqual([true, false])
    expect([limitText(atMost), limitText(atLeast)]).toEqual(['≤ 100', '≥ 10,000'])
  })
})
