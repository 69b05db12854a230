// The classes of addresses, checked at the registries' own boundaries, and against a second, arithmetic
// reading of them over random addresses.

import { describe, expect, test } from 'vitest'
import { isPublicAddress } from '../../../src/sources/identity/public-address.ts'
import { createRandom } from '../../support/random.ts'
import { testSeed } from '../../support/seed.ts'

const refused = {
  'this network': ['0.0.0.0', '0.255.255.255'],
  'private, 10/8': ['10.0.0.0', '10.1.2.3', '10.255.255.255'],
  'carrier-grade NAT': ['100.64.0.0', '100.127.255.255'],
  loopback: ['127.0.0.1', '127.255.255.255', '::1'],
  'link-local and cloud metadata': ['169.254.0.1', '169.254.169.254', 'fe80::1', 'febf::1'],
  'private, 172.16/12': ['172.16.0.0', '172.31.255.255'],
  'protocol assignments': ['192.0.0.1', '192.0.0.170', '2001::1', '2001:1ff:ffff::1'],
  documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  '6to4': ['192.88.99.1', '2002:7f00:1::1', '2002:a00:1::'],
  'private, 192.168/16': ['192.168.0.0', '192.168.255.255'],
  benchmarks: ['198.18.0.0', '198.19.255.255', '2001:2::1'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1'],
  'reserved and broadcast': ['240.0.0.0', '255.255.255.255'],
  unspecified: ['::'],
  'unique local': ['fc00::1', 'fd12:3456::1', 'fdff::ffff'],
  'site-local': ['fec0::1'],
  'IPv4-mapped': ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::ffff:8.8.8.8'],
  'IPv4-compatible': ['::127.0.0.1', '::7f00:1'],
  NAT64: ['64:ff9b::7f00:1', '64:ff9b::10.0.0.1', '64:ff9b:1::1'],
  Teredo: ['2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  'discard, SRv6': ['100::1', '5f00::1'],
  'texts that are not addresses': [
    '',
    'localhost',
    '127.1',
    '0x7f000001',
    '1.2.3.4.5',
    'fe80::1%eth0',
    '[::1]',
  ],
}

describe('addresses that are not public', () => {
  test.each(Object.entries(refused))('%s', (_kind, addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([])
  })
})

test('neighbours of the refused ranges are public', () => {
  const neighbours = [
    ['1.0.0.0', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255'],
    ['128.0.0.0', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0'],
    [
      '191.255.255.255',
      '192.0.1.0',
      '192.0.3.0',
      '192.88.98.255',
      '192.88.100.0',
      '192.167.255.255',
    ],
    [
      '192.169.0.0',
      '198.17.255.255',
      '198.20.0.0',
      '198.51.99.255',
      '198.51.101.0',
      '203.0.112.255',
    ],
    ['203.0.114.0', '223.255.255.255', '2001:200::1', '2001:db7::1', '2001:db9::1', '2003::1'],
    ['2606:4700::6810:84e5', '2a00:1450:4001:82a::200e', '3ffe::1'],
  ].flat()
  expect(neighbours.filter((address) => !isPublicAddress(address))).toEqual([])
})

/** Checks an address against the same registry, as whole numbers. */
function isPublicByArithmetic([a, b, c]: [number, number, number]): boolean {
  if (a === 0 || a === 10 || a === 127 || a >= 224) return false
  if (a === 100) return b < 64 || b > 127
  if (a === 169) return b !== 254
  if (a === 172) return b < 16 || b > 31
  if (a === 192 && b === 0) return c !== 0 && c !== 2
  if (a === 192) return b !== 168 && !(b === 88 && c === 99)
  if (a === 198) return b !== 18 && b !== 19 && !(b === 51 && c === 100)
  return !(a === 203 && b === 0 && c === 113)
}

test('random IPv4 addresses are classified as by arithmetic', () => {
  const random = createRandom(testSeed('addresses'))
  const risky = [0, 10, 51, 64, 88, 99, 100, 113, 127, 128, 168, 169, 172, 192, 198, 203, 224, 254]
  const byte = () => (random.chance(0.5) ? random.pick(risky) : random.below(256))
  for (let i = 0; i < 20_000; i++) {
    const bytes = [byte(), byte(), byte(), byte()] as const
    const address = bytes.join('.')
    expect(isPublicAddress(address), address).toBe(
      isPublicByArithmetic([bytes[0], bytes[1], bytes[2]]),
    )
    expect(isPublicAddress(`::ffff:${address}`), `::ffff:${address}`).toBe(false)
  }
})
