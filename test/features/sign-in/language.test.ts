// The reader's language, and what others wrote in several.

import { afterEach, beforeEach, expect, test, vi } from 'vitest'

beforeEach(() => {
  vi.resetModules()
  vi.stubGlobal('localStorage', { getItem: () => null })
})
afterEach(() => vi.unstubAllGlobals())

test.each([
  [['de-AT', 'en'], 'Unhöflich'],
  [['ja'], '失礼'],
  [['fr', 'en-GB'], 'Rude'],
  [['fr'], 'Rude'],
])('a label’s name is in the language of %j', async (languages, name) => {
  vi.stubGlobal('navigator', { languages })
  const { inOwnLanguage } = await import('../../../src/features/sign-in/assets/language.ts')
  const names = [
    { lang: 'en', name: 'Rude' },
    { lang: 'de', name: 'Unhöflich' },
    { lang: 'ja', name: '失礼' },
  ]
  expect(inOwnLanguage(names)?.name).toBe(name)
  expect(inOwnLanguage(names.slice(1, 2))?.name).toBe('Unhöflich')
  expect(inOwnLanguage([])).toBe(undefined)
})
