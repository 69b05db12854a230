// The dataplane interface is never exposed by mistake.

import { describe, expect, test } from 'vitest'
import { ConfigError, loadConfig } from '../../../src/base/config/config.ts'
import { settingsOf } from '../../../src/base/config/every-setting.ts'
import { dataplaneSettings } from '../../../src/features/dataplane/settings.ts'

const NO_FILE = 'no-such-file'
const TOKEN = 'a-secret-of-nobody'

function configOf(settings: Record<string, string>) {
  const env = Object.entries(settings).map(([key, value]) => [`SLIPSTREAM_DATAPLANE_${key}`, value])
  return loaded(Object.fromEntries(env))
}

function loaded(env: Record<string, string>) {
  return settingsOf(loadConfig(env, NO_FILE), dataplaneSettings)
}

test('it is off by default, and on loopback when enabled', () => {
  expect(configOf({}).dataplanePort).toBeUndefined()
  const { dataplanePort, dataplaneBind } = configOf({ PORT: '3001' })
  expect([dataplanePort, dataplaneBind]).toEqual([3001, '127.0.0.1'])
})

describe('it is refused', () => {
  test.each([
    ['beyond loopback without a secret', { BIND: '0.0.0.0' }],
    ['on all IPv6 addresses without a secret', { BIND: '::' }],
    ['with a TLS certificate but no key', { TLS_CERT: 'cert.pem' }],
    ['with a TLS key but no certificate', { TLS_KEY: 'key.pem' }],
    [
      'beyond loopback with TLS that does not authenticate clients',
      { BIND: '10.0.0.1', TLS_CERT: 'c', TLS_KEY: 'k' },
    ],
    ['with a client CA but no TLS', { TLS_CLIENT_CA: 'ca.pem' }],
  ])('%s', (_, settings) => {
    expect(() => configOf({ PORT: '3001', ...settings })).toThrow(ConfigError)
  })
})

test('an address with a port, and the port of the server itself, are refused for what they are', () => {
  expect(() => configOf({ PORT: '3001', BIND: '127.0.0.1:3001' })).toThrow(
    'SLIPSTREAM_DATAPLANE_BIND is "127.0.0.1:3001", but must be an address',
  )
  expect(() => configOf({ PORT: '3000' })).toThrow(
    'SLIPSTREAM_DATAPLANE_PORT and SLIPSTREAM_PORT are both 3000.',
  )
})

describe('notifications of all accounts', () => {
  const daysOf = (more: Record<string, string>) =>
    loaded({ SLIPSTREAM_DATAPLANE_NOTIFICATION_DAYS: '30', ...more }).dataplaneNotificationDays
  const PORT = { SLIPSTREAM_DATAPLANE_PORT: '3001' }

  test('need the interface and network scope, and errors say so', () => {
    expect(() => daysOf({ SLIPSTREAM_INDEX_SCOPE: 'network' })).toThrow(/no dataplane interface/)
    expect(() => daysOf(PORT)).toThrow(/INDEX_SCOPE is community/)
    expect(daysOf({ ...PORT, SLIPSTREAM_INDEX_SCOPE: 'network' })).toBe(30)
  })

  test('are not collected unless requested', () => {
    expect(configOf({ PORT: '3001' }).dataplaneNotificationDays).toBe(0)
  })
})

test('it is refused together with an engine', () => {
  const env = { SLIPSTREAM_DATAPLANE_PORT: '3001', SLIPSTREAM_ENGINE: 'cql://10.0.0.1/slipstream' }
  expect(() => loaded(env)).toThrow(/DATAPLANE_PORT and SLIPSTREAM_ENGINE/)
})

test.each<Record<string, string>>([
  { BIND: '0.0.0.0', TOKEN },
  { BIND: '10.0.0.1', TLS_CERT: 'c', TLS_KEY: 'k', TLS_CLIENT_CA: 'a' },
  { BIND: '::1' },
])('it is accepted with %o', (settings) => {
  expect(configOf({ PORT: '3001', ...settings }).dataplanePort).toBe(3001)
})
