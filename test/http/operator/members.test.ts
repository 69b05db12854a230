// An operator's words for an account: a handle, a DID or the address of a page, looked up on the network, of
// which three things can come: an account, none, or no answer.

import { expect, test } from 'vitest'
import { resolveAccount } from '../../../src/http/operator/members.ts'
import { FetchError } from '../../../src/sources/identity/fetch-error.ts'
import { createResolver } from '../../../src/sources/identity/resolver.ts'
import { didOf } from '../../support/records.ts'

const alice = didOf('alice')

/** Alice has a record in DNS; `code` is what DNS says about all other names, but for the directory's. */
function network(
  code: string,
  addressesOf = async () => ['198.41.0.4'],
  allowPrivateHosts = false,
) {
  return createResolver({
    allowPrivateHosts,
    plcUrl: 'https://plc.test',
    fetch: async (url) => {
      throw new FetchError('dns', `no ${url}`)
    },
    addressesOf,
    resolveTxt: async (name) => {
      if (name === '_atproto.alice.example.com') return [[`did=${alice}`]]
      throw Object.assign(new Error(code), { code })
    },
  })
}

test.each([
  ' @Alice.Example.com ',
  'https://bsky.app/profile/alice.example.com',
  'https://bsky.app/profile/alice.example.com/post/3lk6zz2yb7s2x',
  'at://alice.example.com/app.bsky.feed.post/3lk6zz2yb7s2x',
])('%s is an account', async (text) => {
  expect(await resolveAccount(network('ENOTFOUND'), text)).toMatchObject({ did: alice })
})

test('a name that nobody has is not found', async () => {
  await expect(resolveAccount(network('ENOTFOUND'), 'zoe.example.com')).rejects.toMatchObject({
    status: 404,
    message: 'No account has the handle zoe.example.com.',
  })
})

test.each([
  ['on the internet', false],
  ['on a private network, which may have no DNS', true],
])('a name server that knows no name at all is the trouble, %s', async (_where, isPrivate) => {
  const cut = network('ENOTFOUND', async () => [] as string[], isPrivate)
  await expect(resolveAccount(cut, 'zoe.example.com')).rejects.toMatchObject({
    status: 503,
    message:
      'zoe.example.com can’t be looked up right now: DNS finds no name at all, not even plc.test.',
    hint: expect.stringContaining('doctor --only network'),
  })
})

test.each(['ECONNREFUSED', 'ESERVFAIL', 'ETIMEOUT'])(
  'while DNS says %s, nobody is said to be missing, and the index is asked',
  async (code) => {
    await expect(resolveAccount(network(code), 'zoe.example.com')).rejects.toMatchObject({
      status: 503,
      message: expect.stringContaining('can’t be looked up right now'),
    })
    const known = () => didOf('zoe')
    expect(await resolveAccount(network(code), 'zoe.example.com', known)).toMatchObject({
      did: didOf('zoe'),
    })
  },
)
