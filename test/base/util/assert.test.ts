import { expect, test } from 'vitest'
import { assert, InvariantError, mayBeTheirs } from '../../../src/base/util/assert.ts'

/** As in a package that is published, which has no class of ours. */
class OfAPackage extends Error {
  override name = 'InvariantError'
}

test('a violated invariant is ours, also in a package with a class of its own', () => {
  expect(() => assert(false, 'two and two are five')).toThrow(InvariantError)
  for (const error of [new InvariantError('ours'), new OfAPackage('a package’s')]) {
    expect(error instanceof InvariantError).toBe(true)
    expect(mayBeTheirs(error)).toBe(false)
  }
})

test('other errors may be due to a stranger’s data, unless the machine is at fault', () => {
  expect(new Error('InvariantError') instanceof InvariantError).toBe(false)
  expect(mayBeTheirs(new TypeError('unreadable'))).toBe(true)
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' })
  expect(mayBeTheirs(full)).toBe(false)
})
