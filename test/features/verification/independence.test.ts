// Relays among the servers that readers depend on: never those of Jetstream's hosts.

import { expect, test } from 'vitest'
import { loadConfig } from '../../../src/base/config/config.ts'
import { dependenciesOf } from '../../../src/tools/doctor/independence.ts'

function hostsOf(env: Record<string, string>, what: string): string[] | undefined {
  const found = dependenciesOf(loadConfig(env, '/nonexistent/.env'))
  return found.find((dependency) => dependency.what === what)?.hosts
}

test('relays are named, and others than Jetstream’s hosts', () => {
  const jetstream = hostsOf({}, 'Jetstream')!
  expect(hostsOf({}, 'relays')!.filter((host) => jetstream.includes(host))).toEqual([])
  const own = { SLIPSTREAM_RELAY_HOSTS: 'wss://relay.example.org' }
  expect(hostsOf(own, 'relays')).toEqual(['relay.example.org'])
})

test('there are none beside a Jetstream host of one’s own', () => {
  const own = { SLIPSTREAM_JETSTREAM_HOSTS: 'wss://jet.example.org' }
  expect(hostsOf(own, 'relays')).toBeUndefined()
})
