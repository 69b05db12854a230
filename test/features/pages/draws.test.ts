// The picture of a lossy timeline's draw says what the posts say.

import { expect, test } from 'vitest'
import { stripOf } from '../../../src/features/pages/assets/strip-of-draws.ts'

test('a mark for each drawn post, kept below the share', () => {
  const draws = [0.1, 0.839, 0.84, 0.95]
  const strip = stripOf([
    ...draws.map((draw) => ({ way: 'fan-out', draw, keepShare: 0.84 })),
    // The reader's own post is not drawn.
    { way: 'own', draw: 0.99, keepShare: 0.84 },
  ])
  expect(strip?.marks).toEqual([
    { x: 0.1, isKept: true },
    { x: 0.839, isKept: true },
    { x: 0.84, isKept: false },
    { x: 0.95, isKept: false },
  ])
  expect(strip?.words).toContain('2 of these 4 are below 0.840')
})

test('no picture of a timeline that keeps all', () => {
  expect(stripOf([])).toBeUndefined()
  expect(stripOf([{ way: 'rows', draw: 0.5, keepShare: 1 }])).toBeUndefined()
})
