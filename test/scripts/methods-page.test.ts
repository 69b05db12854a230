// docs/METHODS.md says of every official method how it is answered: nothing is forgotten, nothing said
// twice, and no reason stands there for a method that the lexicons no longer have.

import { describe, expect, test } from 'vitest'
import {
  allMethods,
  CLASSES,
  methodClasses,
  methodsPage,
  officialMethods,
} from '../../scripts/methods-page.ts'
import { refusalOf, refusedMethods } from '../../scripts/refused-methods.ts'

describe('the page of methods', () => {
  test('puts every method of the official lexicons into exactly one class', () => {
    expect(officialMethods().length).toBeGreaterThan(180)
    const unclassed = [...methodClasses()].filter(([, answer]) => answer === undefined)
    expect(unclassed).toEqual([])
    for (const answer of methodClasses().values()) expect(CLASSES).toContain(answer)
  })

  test('refuses nothing that is answered', () => {
    expect(
      allMethods()
        .map(({ nsid }) => nsid)
        .filter(refusalOf),
    ).toEqual([])
  })

  test('gives no reason for what is no official method', () => {
    const used = new Set(officialMethods().map(refusalOf))
    expect(Object.keys(refusedMethods).filter((key) => !used.has(key))).toEqual([])
  })

  test('names every method that is registered once, and its reason where it falls short', () => {
    const page = methodsPage()
    for (const { nsid, partly, refused } of allMethods()) {
      const rows = page.split('\n').filter((line) => line.startsWith(`| \`${nsid}\` `))
      expect(rows).toHaveLength(1)
      for (const note of [partly, refused]) if (note) expect(rows[0]).toContain(note)
    }
  })
})
