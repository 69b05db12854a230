// Which settings can be combined with an engine.

import { expect, test } from 'vitest'
import { loadConfig } from '../../../src/base/config/config.ts'

const ENGINE = 'cql://10.0.0.1/slipstream'

function loaded(settings: Record<string, string>) {
  const named = Object.entries(settings).map(([key, value]) => [`SLIPSTREAM_${key}`, value])
  return loadConfig(Object.fromEntries(named))
}

test('members may join by invite when nodes share an engine', () => {
  expect(loaded({ ENGINE, MEMBERS: 'invite' })).toMatchObject({ engine: ENGINE })
})

test('members are not forgotten together with an engine', () => {
  expect(() => loaded({ ENGINE, FORGET_MEMBERS_DAYS: '90' })).toThrow('FORGET_MEMBERS_DAYS')
})
