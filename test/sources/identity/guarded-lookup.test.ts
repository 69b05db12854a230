// Where a socket to a stranger's server may lead: what guarded-fetch.test.ts shows for requests, for
// those who open sockets themselves.

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

describe('in the open', () => {
  const strict = { allowPrivateHosts: false }

  test.each(['ws://labeler.example', 'http://labeler.example', 'wss://10.0.0.1', 'wss://[::1]'])(
    '%s is refused before anything is looked up',
    (url) => {
      expect(() => createGuardedLookup(strict)(new URL(url))).toThrow(FetchError)
    },
  )

  test('a name that leads into a private network is refused', async () => {
    const lookup = leadingTo('192.168.0.7')
    const { error } = await look('wss://labeler.example', { ...strict, lookup })
    expect(error).toMatchObject({ reason: 'private-address' })
  })

  test('a public one is not', async () => {
    const lookup = leadingTo('8.8.8.8')
    expect(await look('wss://labeler.example', { ...strict, lookup })).toEqual({
      error: null,
      address: '8.8.8.8',
    })
  })

  test('an origin that the operator named may be anywhere', async () => {
    const options = {
      ...strict,
      trustedOrigins: ['ws://inside.test'],
      lookup: leadingTo('10.1.1.1'),
    }
    expect((await look('ws://inside.test', options)).address).toBe('10.1.1.1')
  })
})

test('where private hosts are allowed, so are they', async () => {
  const options = { allowPrivateHosts: true, lookup: leadingTo('127.0.0.1') }
  expect((await look('ws://localhost', options)).address).toBe('127.0.0.1')
})

describe('where the operator names the private addresses that are allowed', () => {
  const allowPrivateHosts = ['10.7.0.0/16']

  test('names lead to those and to public ones', async () => {
    const inside = { allowPrivateHosts, lookup: leadingTo('10.7.1.2') }
    expect((await look('ws://labeler.local', inside)).address).toBe('10.7.1.2')
    expect((await look('wss://labeler.example', inside)).address).toBe('10.7.1.2')
    const outside = { allowPrivateHosts, lookup: leadingTo('8.8.8.8') }
    expect((await look('wss://labeler.example', outside)).address).toBe('8.8.8.8')
  })

  test('other private ones are as far as ever, and plain http leads nowhere else', async () => {
    const loopback = { allowPrivateHosts, lookup: leadingTo('127.0.0.1') }
    for (const url of ['ws://labeler.local', 'wss://labeler.example']) {
      expect((await look(url, loopback)).error).toMatchObject({ reason: 'private-address' })
    }
    const open = { allowPrivateHosts, lookup: leadingTo('8.8.8.8') }
    expect((await look('ws://labeler.example', open)).error).toBeInstanceOf(FetchError)
  })

  test('of bare addresses those alone are connected to', () => {
    const lookupFor = createGuardedLookup({ allowPrivateHosts })
    expect(() => lookupFor(new URL('http://10.7.0.1:2583'))).not.toThrow()
    for (const url of ['http://127.0.0.1:2583', 'https://169.254.169.254', 'wss://[::1]']) {
      expect(() => lookupFor(new URL(url))).toThrow(FetchError)
    }
  })
})
