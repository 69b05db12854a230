// Short runs with strangers: members see the right results, and the costs of strangers are bounded. The
// second test exceeds the bounds, to prove that they are checked.

import { expect, test } from 'vitest'
import { type Costs, findExcess } from '../support/torture/costs.ts'
import { type FaultKind, faultKinds, planRun } from '../support/torture/plan.ts'
import { runSeed } from '../support/torture/run.ts'

const STRANGERS: FaultKind[] = [
  'labeler-huge',
  'labeler-odd',
  'stranger-text',
  'stranger-newcomers',
  'stranger-tokens',
  'stranger-media',
  'stranger-feeds',
  'stranger-documents',
]

test('strangers change nothing that members see, and cost little', async () => {
  const { differences, compared, costs, faults, withoutEffect } = await runSeed(3, {
    events: 450,
    faults: STRANGERS.length,
    kinds: STRANGERS,
  })
  expect(differences).toEqual([])
  expect(withoutEffect).toEqual([])
  expect(compared).toBeGreaterThan(500)
  expect(Object.keys(faults).sort()).toEqual([...STRANGERS].sort())
  expect(costs.rssMb).toBeGreaterThan(50)
  expect(costs.lookups).toBeGreaterThan(300)
  expect(costs.silent).toBeGreaterThan(0)
  expect(costs.labeler).toBeGreaterThan(0)
})

const none: Costs = {
  rssMb: 0,
  childrenMb: 0,
  diskMb: 0,
  logMb: 0,
  jobs: 0,
  lookups: 0,
  requests: 0,
  silent: 0,
  labeler: 0,
}

test.each(Object.keys(none) as (keyof Costs)[])('too much of %s is a difference', (name) => {
  expect(findExcess(none, {})).toEqual([])
  const found = findExcess({ ...none, [name]: 1_000_000 }, { 'stranger-records': 1 })
  expect(found).toMatchObject([{ what: `cost: ${name}`, got: 1_000_000 }])
})

test('each kind of stranger allows some calls, and a run without strangers allows none', () => {
  const requested = { ...none, lookups: 600 }
  expect(findExcess(requested, { 'stranger-tokens': 1 })).toEqual([])
  expect(findExcess(requested, { kill: 3 })).toMatchObject([{ what: 'cost: lookups' }])
})

test('a seed plans the same faults at the same events, including strangers', () => {
  const plans = [1, 1].map((seed) => planRun(seed, { faults: faultKinds.length }))
  expect(plans[0]).toEqual(plans[1])
  expect(new Set(plans[0]!.faults.map(({ kind }) => kind)).size).toBe(faultKinds.length)
  expect(plans[0]!.isOpen).toBe(true)
  expect(planRun(1, { kinds: ['kill', 'labeler-huge'] }).isOpen).toBe(false)
})
