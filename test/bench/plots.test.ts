// The plots: points are drawn at their values, and the plots in docs were drawn from the data next to them.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readFigures } from '../../bench/runner/saved-figures.ts'
import { drawPlot, type Plot, short } from '../../scripts/docs/line-plot.ts'
import { plotsOf } from '../../scripts/write-plots.ts'

const folder = join(import.meta.dirname, '../../docs/plots')

const plot: Plot = {
  title: 'A < B & "C"',
  xLabel: 'edges',
  yLabel: 'ns',
  logarithmic: true,
  series: [
    {
      name: 'add',
      points: [
        [10, 1],
        [100, 10],
        [1_000, 100],
      ],
    },
  ],
}

function circlesIn(svg: string): [x: number, y: number][] {
  const found = svg.matchAll(/<circle class="\w" cx="([\d.]+)" cy="([\d.]+)"/g)
  return [...found].map(([, x, y]) => [Number(x), Number(y)])
}

describe('a plot', () => {
  test('on two logarithmic axes, tenfold steps lie on a straight line from corner to corner', () => {
    const [first, middle, last] = circlesIn(drawPlot(plot))
    expect(middle![0] - first![0]).toBeCloseTo(last![0] - middle![0], 0)
    expect(first![1] - middle![1]).toBeCloseTo(middle![1] - last![1], 0)
    expect(first![1]).toBeGreaterThan(last![1])
  })

  test('on a linear axis, heights are proportional, from 0', () => {
    const svg = drawPlot({ ...plot, logarithmic: false })
    const [first, middle, last] = circlesIn(svg)
    const zero = first![1] + (first![1] - middle![1]) / 9
    expect((zero - last![1]) / (zero - middle![1])).toBeCloseTo(10, 0)
  })

  test('everything is inside the picture, for values of any size and a single one', () => {
    for (const scale of [1e-6, 1, 1e9]) {
      const points = plot.series[0]!.points.map(([x, y]) => [x, y * scale] as const)
      for (const logarithmic of [true, false]) {
        const series = [
          { name: 'all', points },
          { name: 'one', points: points.slice(0, 1) },
        ]
        const svg = drawPlot({ ...plot, logarithmic, series })
        expect(svg).not.toMatch(/NaN|Infinity|undefined/)
        for (const [x, y] of circlesIn(svg)) {
          expect(x).toBeGreaterThanOrEqual(0)
          expect(x).toBeLessThanOrEqual(640)
          expect(y).toBeGreaterThanOrEqual(0)
          expect(y).toBeLessThanOrEqual(360)
        }
      }
    }
  })

  test('text is escaped, a limit is drawn with its name, and colours follow the scheme', () => {
    const svg = drawPlot({ ...plot, limit: { value: 12, name: 'target: 12' } })
    expect(svg).toContain('A &lt; B &amp; "C"'.replace(/"/g, '&quot;'))
    expect(svg).toMatch(/class="limit".*\n.*target: 12/)
    expect(svg).toContain('prefers-color-scheme: dark')
  })

  test('numbers are shortened', () => {
    expect([0.8211, 12, 1_500, 2_000_000, 3.2e9].map(short)).toEqual([
      '0.821',
      '12',
      '1.5k',
      '2M',
      '3.2G',
    ])
  })
})

describe('docs/plots', () => {
  const plots = plotsOf(readFigures(join(folder, 'data.json')))

  test('data exists for all plots', () => {
    expect(Object.keys(plots).length).toBe(12)
  })

  test.each(Object.entries(plots))('%s.svg was drawn from it', (name, plot) => {
    const path = join(folder, `${name}.svg`)
    expect(existsSync(path)).toBe(true)
    // If this fails, run `node scripts/write-plots.ts`.
    expect(readFileSync(path, 'utf8')).toBe(drawPlot(plot))
  })
})
