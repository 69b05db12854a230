// The address of an engine and the files of its secrets, as operators write them.

import { expect, test } from 'vitest'
import { loadConfig } from '../../../src/base/config/config.ts'
import { parseEngineAddress } from '../../../src/features/cluster/settings.ts'

test('names hosts with their ports, keyspace, user and data centre', () => {
  expect(parseEngineAddress('cql://user@10.0.0.1,10.0.0.2:9043/slipstream?dc=fra')).toEqual({
    hosts: ['10.0.0.1:9042', '10.0.0.2:9043'],
    keyspace: 'slipstream',
    user: 'user',
    datacenter: 'fra',
  })
  expect(parseEngineAddress(' cql://[::1],[::1]:9043/k ')).toEqual({
    hosts: ['[::1]:9042', '[::1]:9043'],
    keyspace: 'k',
    user: undefined,
    datacenter: 'datacenter1',
  })
})

test.each([
  '',
  'h/k',
  'http://h/k',
  'cql://h',
  'cql:///k',
  'cql://h/K',
  'cql://h/k/x',
  'cql://h,/k',
  'cql://@h/k',
  'cql://a@b@h/k',
  'cql://h:port/k',
  'cql://h/k?dc=',
  'cql://h/k?rack=1',
  'cql://h/k?dc=a?dc=b',
])('refuses %j', (value) => {
  expect(() => parseEngineAddress(value)).toThrow('cql://user@host')
})

test.each(['ENGINE_CA', 'ENGINE_PASSWORD_FILE'])('%s: a ~ that no shell has replaced', (name) => {
  const load = () => loadConfig({ [`SLIPSTREAM_${name}`]: '~/data' }, '/nonexistent/.env')
  expect(load).toThrow('only a shell knows what ~ is')
})
