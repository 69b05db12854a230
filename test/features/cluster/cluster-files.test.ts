// The compose file of a cluster, checked against the rest of the project: everything it names exists, and a
// node waits for what it needs.

import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { parseEngineAddress } from '../../../src/features/cluster/settings.ts'
import { SYNCED } from './support/cassandra-cluster.ts'

const deploy = resolve(import.meta.dirname, '../../../deploy')
const compose = readFileSync(join(deploy, 'compose.cluster.yaml'), 'utf8')
const caddyfile = readFileSync(join(deploy, 'caddy/Caddyfile.cluster'), 'utf8')
const [, shared = '', services = '', volumes = ''] =
  /([\s\S]*?)\nservices:\n([\s\S]*)\nvolumes:\n([\s\S]*)$/.exec(compose)!

/** By name. */
const parts = new Map(
  services
    .split(/^ {2}(?=[a-z]\w*:$)/m)
    .filter((text) => /^\w+:$/m.test(text))
    .map((text) => [/^(\w+):/.exec(text)?.[1] ?? '', text]),
)
const named = (prefix: string) => [...parts.keys()].filter((name) => name.startsWith(prefix))

test('there are three nodes of each kind, and the settings name the engine’s', () => {
  expect(named('slipstream')).toHaveLength(3)
  const [, address = ''] = /SLIPSTREAM_ENGINE: (\S+)/.exec(shared)!
  const { hosts, datacenter } = parseEngineAddress(address)
  expect(hosts).toEqual(named('cassandra').map((name) => `${name}:9042`))
  expect(/CASSANDRA_DC: (\S+)/.exec(shared)![1]).toBe(datacenter)
  for (const name of named('slipstream')) expect(parts.get(name)).toContain('<<: *slipstream')
})

test('Caddy checks every node’s health, and forwards requests to no other host', () => {
  const [, upstreams = ''] = /reverse_proxy ([^{]+) \{/.exec(caddyfile)!
  expect(upstreams.split(' ')).toEqual(named('slipstream').map((name) => `${name}:3000`))
  expect(caddyfile).toContain('health_uri /xrpc/_health')
  expect(caddyfile).toContain('@private path /metrics*\n\trespond @private 404')
  expect(compose.match(/^ {4}ports:/gm)).toHaveLength(1)
  expect(parts.get('caddy')).toContain('"443:443"')
})

test('the engine’s nodes join one after another, then the tables are created, then our nodes start', () => {
  const before = { cassandra2: 'cassandra1', cassandra3: 'cassandra2', migrate: 'cassandra3' }
  for (const [name, awaited] of Object.entries(before)) {
    expect(parts.get(name)).toContain(`${awaited}:\n        condition: service_healthy`)
  }
  expect(shared).toContain('migrate:\n      condition: service_completed_successfully')
  const [, command = ''] = /entrypoint: \["node", "([^"]+)", "engine", "migrate"\]/.exec(services)!
  expect(existsSync(join(deploy, '..', command))).toBe(true)
})

test('the engine has acknowledged writes on disk, with the settings used by other tests', () => {
  const [, options = ''] = /JVM_EXTRA_OPTS: >-\n((?: {6}-D.*\n)+)/.exec(shared)!
  expect(options.trim().split(/\s+/)).toEqual(SYNCED)
})

test('each node has its data in its own existing volume, and each container has a memory limit', () => {
  const mounts = [...services.matchAll(/^ {6}- (\.\/[^:]+|\w+):\//gm)].map(([, from]) => from!)
  expect(new Set(mounts).size).toBe(mounts.length)
  const declared = volumes.match(/\w+/g)
  for (const from of mounts) {
    if (from.startsWith('.')) expect(existsSync(resolve(deploy, from)), from).toBe(true)
    else expect(declared).toContain(from)
  }
  expect(mounts).toHaveLength(declared!.length + 1)
  expect(compose.match(/^ +mem_limit: /gm)).toHaveLength(3)
})
