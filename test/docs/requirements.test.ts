// The figures for a small server, on the page that an operator reads first, are the model's.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { costOf, habits, networks, unitFigures } from '../../bench/cost/model.ts'
import { drawNeighbourhood } from '../../bench/cost/neighbourhood.ts'
import { root } from '../support/documentation.ts'

const page = readFileSync(join(root, 'docs/REQUIREMENTS.md'), 'utf8')

/** Units without a saved figure concern memory only, of which a small server needs little. */
function units() {
  const text = readFileSync(join(root, 'docs/figures.json'), 'utf8')
  const figures = JSON.parse(text) as Record<string, { value: number } | undefined>
  const all = Object.entries(unitFigures).map(([name, figure]) => {
    return [name, figures[figure]?.value ?? 0] as const
  })
  return Object.fromEntries(all) as Parameters<typeof costOf>[0]
}

test('disk, traffic and processor of eleven people are as modelled', () => {
  const { accounts } = networks.active
  const position = drawNeighbourhood({
    members: 11,
    followsEach: habits.followsEach,
    accounts,
    localShare: 0.3,
    localPerMember: 10,
    celebrityThreshold: 2_000,
  })
  const cost = costOf(units(), position, networks.active)
  const visible = (row: string) => {
    return Number(new RegExp(`^\\| ${row} \\| ([\\d.]+) GB a day`, 'm').exec(page)?.[1])
  }
  // A new measurement may differ a little.
  const share = (row: string, modelled: number) => visible(row) / modelled
  for (const [row, modelled] of [
    ['disk', cost.diskGbADay],
    ['traffic in', cost.inGbADay],
    ['traffic out', cost.outGbADay],
  ] as const) {
    expect(share(row, modelled), row).toBeGreaterThan(0.8)
    expect(share(row, modelled), row).toBeLessThan(1.25)
  }
  expect(cost.cores.total).toBeLessThan(0.1)
  expect(cost.ramGb.total).toBeLessThan(0.3)
})
