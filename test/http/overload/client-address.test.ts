// The address that a visitor is counted by: no visitor can choose it, by any header.

import { expect, test } from 'vitest'
import { addressRanges } from '../../../src/base/config/address-ranges.ts'
import { createClientAddress } from '../../../src/http/overload/client-address.ts'

const addressOf = createClientAddress(addressRanges('loopback, 10.0.0.0/8, 2001:db8:ffff::/48'))

function of(remoteAddress: string | undefined, forwarded?: string): string | undefined {
  const header = (name: string) => (name === 'x-forwarded-for' ? forwarded : undefined)
  return addressOf({ remoteAddress, header })
}

test.each([
  ['an address of the network is its own', '203.0.113.7', undefined, '203.0.113.7'],
  ['it says nothing for itself', '203.0.113.7', '8.8.8.8', '203.0.113.7'],
  ['IPv4 in IPv6 form is IPv4', '::ffff:203.0.113.7', '8.8.8.8', '203.0.113.7'],
  ['and in hexadecimal too', '::ffff:cb00:7107', undefined, '203.0.113.7'],
  ['IPv6 counts by /64', '2001:db8:1:2:3:4:5:6', undefined, '2001:db8:1:2::/64'],
  ['however it is written', '2001:0DB8:0001:0002::', undefined, '2001:db8:1:2::/64'],
  ['also where zeros are left out', '2001:db8::1', undefined, '2001:db8:0:0::/64'],
  ['also on a link', 'fe80::1%eth0', undefined, 'fe80:0:0:0::/64'],
  ['our proxy says whom it asks for', '127.0.0.1', '203.0.113.7', '203.0.113.7'],
  ['also in IPv6 form', '::ffff:127.0.0.1', '203.0.113.7', '203.0.113.7'],
  ['the last word is the proxy’s', '127.0.0.1', '1.1.1.1, 203.0.113.7', '203.0.113.7'],
  ['through two proxies', '127.0.0.1', '1.1.1.1, 203.0.113.7, 10.1.2.3', '203.0.113.7'],
  ['through one with IPv6', '2001:db8:ffff::1', '2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['with a port', '127.0.0.1', '203.0.113.7:4711', '203.0.113.7'],
  ['with a port, IPv6', '127.0.0.1', '[2001:db8:1:2::9]:4711', '2001:db8:1:2::/64'],
  ['rubbish is not looked behind', '127.0.0.1', '203.0.113.7, <script>', '127.0.0.1'],
  ['no word at all', '127.0.0.1', undefined, '127.0.0.1'],
  ['an empty one', '127.0.0.1', '', '127.0.0.1'],
  ['proxies alone', '127.0.0.1', '10.0.0.1, 10.0.0.2', '10.0.0.1'],
  ['a chain longer than any', '127.0.0.1', `9.9.9.9${', 10.0.0.1'.repeat(50)}`, '10.0.0.1'],
  ['no network', undefined, '203.0.113.7', undefined],
])('%s', (_what, remote, forwarded, expected) => {
  expect(of(remote, forwarded)).toBe(expected)
})

test('if no proxy is trusted, the header is ignored', () => {
  const strict = createClientAddress(addressRanges('none'))
  expect(strict({ remoteAddress: '127.0.0.1', header: () => '8.8.8.8' })).toBe('127.0.0.1')
})

test.each(['10.0.0.0/33', '10.0.0/8', 'proxy.example', '::1/x', '10.0.0.0/8/8', '1.2.3.4/'])(
  '%s is not a range',
  (text) => expect(() => addressRanges(text)).toThrow(),
)
