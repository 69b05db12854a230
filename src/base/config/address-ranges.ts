// Addresses as operators write them: single ones, networks in CIDR form, and words for the usual groups. Kept
// as text, so that a Config can be sent to a worker (util/range-check.ts).

import { isIP } from 'node:net'
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
  return list(value).flatMap((value) => groups[value.toLowerCase()] ?? [asRange(value)])
}

/** Parser of a setting: all ranges (on), none (off), or the given ones. */
export function privateHosts(value: string): boolean | string[] {
  if (/^(1|0|true|false|on|off|yes|no)$/i.test(value.trim())) return flag(value)
  try {
    return addressRanges(value)
  } catch {
    throw new Unfit(
      'on, off, or addresses and networks such as 10.7.0.5 or 10.0.0.0/8, separated by commas',
    )
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
