// docs/METHODS.md says of every official method how it is answered: no method is missing or listed twice, and
// no reason is given for a method that the lexicons no longer have.

import { describe, expect, test } from 'vitest'
import {
  allMethods,
  CLASSES,
  methodClasses,
  methodsPage,
  officialMethods,
} from '../../scripts/docs/methods-page.ts'
import { refusalOf, refusedMethods } from '../../scripts/docs/refused-methods.ts'

describe('the page of methods', () => {
  test('puts every method of the official lexicons into exactly one class', () => {
    expect(officialMethods().length).toBeGreaterThan(180)
    const unclassed = [...methodClasses()].filter(([, answer]) => answer === undefined)
    expect(unclassed).toEqual([])
    for (const answer of methodClasses().values()) expect(CLASSES).toContain(answer)
  })

  test('lists no answered method as refused', () => {
    expect(
      allMethods()
        .map(({ nsid }) => nsid)
        .filter(refusalOf),
    ).toEqual([])
  })

  test('gives reasons for official methods only', () => {
    const used = new Set(officialMethods().map(refusalOf))
    expect(Object.keys(refusedMethods).filter((key) => !used.has(key))).toEqual([])
  })

  test('names every registered method once, with the reason if it falls short', () => {
    const page = methodsPage()
    for (const { nsid, partly, refused } of allMethods()) {
      const rows = page.split('\n').filter((line) => line.startsWith(`| \`${nsid}\` `))
      expect(rows).toHaveLength(1)
      for (const note of [partly, refused]) if (note) expect(rows[0]).toContain(note)
    }
  })
})
