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
  ['a public address counts as itself', '203.0.113.7', undefined, '203.0.113.7'],
  ['a header from an untrusted address is ignored', '203.0.113.7', '8.8.8.8', '203.0.113.7'],
  ['IPv4 in IPv6 form counts as IPv4', '::ffff:203.0.113.7', '8.8.8.8', '203.0.113.7'],
  ['IPv4 in IPv6 form in hexadecimal counts as IPv4', '::ffff:cb00:7107', undefined, '203.0.113.7'],
  ['IPv6 counts by /64', '2001:db8:1:2:3:4:5:6', undefined, '2001:db8:1:2::/64'],
  ['IPv6 with leading zeros and capitals', '2001:0DB8:0001:0002::', undefined, '2001:db8:1:2::/64'],
  ['IPv6 with zeros left out', '2001:db8::1', undefined, '2001:db8:0:0::/64'],
  ['IPv6 of a link', 'fe80::1%eth0', undefined, 'fe80:0:0:0::/64'],
  ['a trusted proxy names its client', '127.0.0.1', '203.0.113.7', '203.0.113.7'],
  ['a trusted proxy in IPv6 form', '::ffff:127.0.0.1', '203.0.113.7', '203.0.113.7'],
  ['only the proxy’s own entry counts', '127.0.0.1', '1.1.1.1, 203.0.113.7', '203.0.113.7'],
  ['through two proxies', '127.0.0.1', '1.1.1.1, 203.0.113.7, 10.1.2.3', '203.0.113.7'],
  ['through a proxy with IPv6', '2001:db8:ffff::1', '2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['with a port', '127.0.0.1', '203.0.113.7:4711', '203.0.113.7'],
  ['with a port, IPv6', '127.0.0.1', '[2001:db8:1:2::9]:4711', '2001:db8:1:2::/64'],
  ['entries before an invalid one are ignored', '127.0.0.1', '203.0.113.7, <script>', '127.0.0.1'],
  ['a proxy without the header', '127.0.0.1', undefined, '127.0.0.1'],
  ['a proxy with an empty header', '127.0.0.1', '', '127.0.0.1'],
  ['only proxies', '127.0.0.1', '10.0.0.1, 10.0.0.2', '10.0.0.1'],
  ['a chain longer than the limit', '127.0.0.1', `9.9.9.9${', 10.0.0.1'.repeat(50)}`, '10.0.0.1'],
  ['no remote address', undefined, '203.0.113.7', undefined],
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
