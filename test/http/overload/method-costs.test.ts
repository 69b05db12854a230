// Prices exist exactly for the existing methods.

import { afterAll, expect, test } from 'vitest'
import { costOf, costs } from '../../../src/http/overload/method-costs.ts'
import { createServingWorld } from '../../support/serving-world.ts'

const world = createServingWorld()
afterAll(() => world.dispose())

test('each named method exists, and each existing one has a price', () => {
  const names = new Set(world.methods.map(({ nsid }) => nsid))
  expect(Object.keys(costs).filter((nsid) => !names.has(nsid))).toEqual([])
  for (const method of world.methods) expect(costOf(method).points).toBeGreaterThanOrEqual(1)
})
