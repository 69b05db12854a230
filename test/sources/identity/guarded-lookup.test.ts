// Where a socket to a stranger's server may lead: the checks of guarded-fetch.test.ts, for callers that open
// sockets themselves.

import { describe, expect, test } from 'vitest'
import { FetchError } from '../../../src/sources/identity/fetch-error.ts'
import { createGuardedLookup } from '../../../src/sources/identity/guarded-lookup.ts'

type Looked = { error: Error | null; address: unknown }

function look(url: string, options: Parameters<typeof createGuardedLookup>[0]): Promise<Looked> {
  const lookup = createGuardedLookup(options)(new URL(url))
  const { hostname } = new URL(url)
  return new Promise((resolve) =>
    lookup(hostname, {}, (error, address) => resolve({ error, address })),
  )
}

const leadingTo = (address: string) => async () => [address]

describe('on the public network', () => {
  const strict = { allowPrivateHosts: false }

  test.each(['ws://labeler.example', 'http://labeler.example', 'wss://10.0.0.1', 'wss://[::1]'])(
    '%s is refused before any look-up',
    (url) => {
      expect(() => createGuardedLookup(strict)(new URL(url))).toThrow(FetchError)
    },
  )

  test('refuses a name that resolves to a private network', async () => {
    const lookup = leadingTo('192.168.0.7')
    const { error } = await look('wss://labeler.example', { ...strict, lookup })
    expect(error).toMatchObject({ reason: 'private-address' })
  })

  test('allows one that resolves to a public address', async () => {
    const lookup = leadingTo('8.8.8.8')
    expect(await look('wss://labeler.example', { ...strict, lookup })).toEqual({
      error: null,
      address: '8.8.8.8',
    })
  })

  test('allows any address for an origin that the operator named', async () => {
    const options = {
      ...strict,
      trustedOrigins: ['ws://inside.test'],
      lookup: leadingTo('10.1.1.1'),
    }
    expect((await look('ws://inside.test', options)).address).toBe('10.1.1.1')
  })
})

test('allows private hosts if the setting does', async () => {
  const options = { allowPrivateHosts: true, lookup: leadingTo('127.0.0.1') }
  expect((await look('ws://localhost', options)).address).toBe('127.0.0.1')
})

describe('if the operator names the allowed private addresses', () => {
  const allowPrivateHosts = ['10.7.0.0/16']

  test('names may resolve to those and to public ones', async () => {
    const inside = { allowPrivateHosts, lookup: leadingTo('10.7.1.2') }
    expect((await look('ws://labeler.local', inside)).address).toBe('10.7.1.2')
    expect((await look('wss://labeler.example', inside)).address).toBe('10.7.1.2')
    const outside = { allowPrivateHosts, lookup: leadingTo('8.8.8.8') }
    expect((await look('wss://labeler.example', outside)).address).toBe('8.8.8.8')
  })

  test('other private ones stay refused, as does plain http elsewhere', async () => {
    const loopback = { allowPrivateHosts, lookup: leadingTo('127.0.0.1') }
    for (const url of ['ws://labeler.local', 'wss://labeler.example']) {
      expect((await look(url, loopback)).error).toMatchObject({ reason: 'private-address' })
    }
    const open = { allowPrivateHosts, lookup: leadingTo('8.8.8.8') }
    expect((await look('ws://labeler.example', open)).error).toBeInstanceOf(FetchError)
  })

  test('only those bare addresses may be connected to', () => {
    const lookupFor = createGuardedLookup({ allowPrivateHosts })
    expect(() => lookupFor(new URL('http://10.7.0.1:2583'))).not.toThrow()
    for (const url of ['http://127.0.0.1:2583', 'https://169.254.169.254', 'wss://[::1]']) {
      expect(() => lookupFor(new URL(url))).toThrow(FetchError)
    }
  })
})
