// Addresses as operators write them: single ones, networks in CIDR form, and words for the usual groups. Kept
// as text, so that a Config can be sent to a worker; `createRangeCheck` parses them.

import { BlockList, isIP } from 'node:net'
import { flag, list, Unfit } from './parsers.ts'

const groups: Record<string, string[]> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  private: [
    '10.0.0.0/8',
    '172.16.0.0/12',
    '192.168.0.0/16',
    '169.254.0.0/16',
    'fc00::/7',
    'fe80::/10',
  ],
  // Kept, so that printed settings read as intended.
  none: ['none'],
}

const BITS = { 4: 32, 6: 128 } as const

/** Parser of a setting: returns all ranges in CIDR form. */
export function addressRanges(value: string): string[] {
  return list(value).flatMap((one) => groups[one.toLowerCase()] ?? [asRange(one)])
}

/** Parser of a setting: all ranges (on), none (off), or the given ones. */
export function privateHosts(value: string): boolean | string[] {
  return /^(1|0|true|false|on|off|yes|no)$/i.test(value.trim()) ? flag(value) : addressRanges(value)
}

/** True for addresses within one of the ranges; accepts IPv4 addresses in IPv6 form. */
export function createRangeCheck(ranges: readonly string[]): (address: string) => boolean {
  const block = new BlockList()
  for (const range of ranges) {
    if (range === 'none') continue
    const [network, prefix] = range.split('/') as [string, string]
    block.addSubnet(network, Number(prefix), isIP(network) === 4 ? 'ipv4' : 'ipv6')
  }
  return (address) => {
    const plain = address.replace(/^::ffff:(?=[\d.]+$)/i, '')
    const version = isIP(plain)
    return version !== 0 && block.check(plain, version === 4 ? 'ipv4' : 'ipv6')
  }
}

function asRange(text: string): string {
  const [network = '', prefix, ...rest] = text.split('/')
  const version = isIP(network)
  const bits = version === 0 ? 0 : BITS[version as 4 | 6]
  const length = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : -1
  if (bits > 0 && length >= 0 && length <= bits && rest.length === 0) return `${network}/${length}`
  throw new Unfit(
    'addresses, networks such as 10.0.0.0/8, loopback, private or none, separated by commas',
  )
}
