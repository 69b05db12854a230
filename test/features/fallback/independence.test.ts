// The public AppView among the servers that readers depend on: after those without which nothing new comes.

import { expect, test } from 'vitest'
import { loadConfig } from '../../../src/base/config/config.ts'
import { dependenciesOf, openOrigins } from '../../../src/tools/doctor/independence.ts'

const configOf = (env: Record<string, string>) => loadConfig(env, '/nonexistent/.env')

test('it is named where it matters, unless there is none', () => {
  const all = dependenciesOf(configOf({}))
  expect(all.map(({ what }) => what)).toEqual([
    'Jetstream',
    'relays',
    'the PLC directory',
    'PDSs, did:web hosts and DNS',
    'a public AppView',
    'pictures',
    'videos',
    'labelers',
    'feed generators',
  ])
  const appview = all.find(({ what }) => what === 'a public AppView')!
  expect(appview).toMatchObject({ hosts: ['public.api.bsky.app'], askedBy: 'server' })
  expect(Object.keys(appview).sort()).toEqual(Object.keys(all[0]!).sort())
  const none = dependenciesOf(configOf({ SLIPSTREAM_FALLBACK_APPVIEW: 'none' }))
  expect(none).toEqual(all.filter((dependency) => dependency !== appview))
})

test('it tells the doctor the time, as the directory and the streams do', () => {
  const origins = (env: Record<string, string>) =>
    openOrigins(configOf({ SLIPSTREAM_JETSTREAM_HOSTS: 'wss://jet.example.org', ...env }))
  const others = ['https://plc.directory', 'https://jet.example.org']
  expect(origins({})).toEqual([...others, 'https://public.api.bsky.app'])
  expect(origins({ SLIPSTREAM_FALLBACK_APPVIEW: 'none' })).toEqual(others)
})
