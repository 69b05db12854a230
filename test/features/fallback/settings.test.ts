// The setting of the public AppView.

import { expect, test } from 'vitest'
import { type ConfigError, examineConfig } from '../../../src/base/config/config.ts'
import { settingsOf } from '../../../src/base/config/every-setting.ts'
import { fallbackSettings } from '../../../src/features/fallback/settings.ts'

const examine = (env: Record<string, string>) => examineConfig(env, '/nonexistent/.env')

function appviewOf(env: Record<string, string>): string {
  const { config, problems } = examine(env)
  expect(problems).toEqual([])
  return settingsOf(config, fallbackSettings).fallbackAppview
}

function problemOf(env: Record<string, string>): ConfigError {
  const [problem] = examine(env).problems
  expect(problem).toBeDefined()
  return problem!
}

test('a public AppView is the fallback unless disabled; an empty value does not disable it', () => {
  expect(appviewOf({})).toBe('https://public.api.bsky.app')
  expect(appviewOf({ SLIPSTREAM_FALLBACK_APPVIEW: '' })).toMatch(/^https:/)
  for (const none of ['none', 'off', ' None ']) {
    expect(appviewOf({ SLIPSTREAM_FALLBACK_APPVIEW: none })).toBe('none')
  }
  const own = { SLIPSTREAM_FALLBACK_APPVIEW: 'https://appview.example.org/' }
  expect(appviewOf(own)).toBe('https://appview.example.org')
})

test.each([
  ['https://public.api.bsky.app/xrpc', /an origin/],
  ['public.api.bsky.app', /a URL/],
])('%s is refused', (value, expectation) => {
  const { message, hint } = problemOf({ SLIPSTREAM_FALLBACK_APPVIEW: value })
  expect(message).toContain(`SLIPSTREAM_FALLBACK_APPVIEW is "${value}"`)
  expect(message).toMatch(expectation)
  expect(hint).toContain('SLIPSTREAM_FALLBACK_APPVIEW')
})

test('a misspelt one is recognised', () => {
  const { hint } = problemOf({ SLIPSTREAM_FALLBACK_APPVEIW: 'x' })
  expect(hint).toContain('Did you mean SLIPSTREAM_FALLBACK_APPVIEW?')
})
