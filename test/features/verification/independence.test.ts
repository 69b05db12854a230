// Relays among the servers that readers depend on: never those of Jetstream's hosts.

import { expect, test } from 'vitest'
import { loadConfig } from '../../../src/base/config/config.ts'
import { dependenciesOf } from '../../../src/tools/doctor/independence.ts'
import { runCli } from '../../support/cli.ts'

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

test('mirrors are named, and nothing is missing without them for good', () => {
  const mirrors = { SLIPSTREAM_REPO_MIRRORS: 'https://mirror.example.org' }
  expect(hostsOf(mirrors, 'mirrors of repositories')).toEqual(['mirror.example.org'])
  expect(hostsOf({}, 'mirrors of repositories')).toBeUndefined()
})

const independence = async (env: Record<string, string>, ...more: string[]) =>
  runCli(env, ['doctor', '--independence', ...more])

test('settings with which no server starts are told, and the list is not a success', async () => {
  const env = { JETSTREAM_HOSTS: 'jet.example.org', RELAY_HOSTS: 'off' }
  const { code, stdout } = await independence(env)
  expect(code).toBe(1)
  expect(stdout).toMatch(/WRONG: .*SLIPSTREAM_JETSTREAM_HOSTS/)
  const json = await independence(env, '--json')
  expect(json.code).toBe(1)
  expect(JSON.parse(json.stdout).problems).toEqual([
    expect.stringContaining('SLIPSTREAM_JETSTREAM_HOSTS'),
  ])
  const none = await independence({ JETSTREAM_HOSTS: 'off', RELAY_HOSTS: 'off' })
  expect(none.code).toBe(1)
  expect(none.stdout).toContain('nothing would bring events')
})

test('only some areas of it can’t be had', async () => {
  const { code, stderr } = await independence({}, '--only', 'plc')
  expect(code).not.toBe(0)
  expect(stderr).toContain('--only')
})
