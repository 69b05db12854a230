// Who a visitor is to the limits: the address of the connection, or, where that is a reverse proxy of
// ours, the last address in X-Forwarded-For that no proxy of ours wrote. Whatever stands left of it
// came from the client, and says what it likes. IPv6 counts by /64, since that is what one
// customer gets; IPv4 in IPv6 form counts as IPv4.

import { isIP } from 'node:net'
import { createRangeCheck } from '../../base/config/address-ranges.ts'
import { LruMap } from '../../base/util/lru.ts'
import type { HttpRequest } from '../server/http-request.ts'

/** Undefined for a request that came by no network socket: those are our own. */
type ClientAddress = (request: Pick<HttpRequest, 'remoteAddress' | 'header'>) => string | undefined

type Known = { key: string; isTrusted: boolean }

const MAX_KNOWN = 10_000
const MAX_HOPS = 8
const MAX_FORWARDED_LENGTH = 1024
const GROUPS_OF_64 = 4

/** @param trustedProxies - ranges in CIDR form. */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  const isProxy = createRangeCheck(trustedProxies)
  const known = new LruMap<string, Known>(MAX_KNOWN)

  function look(address: string): Known {
    const found = known.get(address)
    if (found) return found
    const made = { key: limitKey(address), isTrusted: isProxy(address) }
    known.set(address, made)
    return made
  }

  return (request) => {
    const address = request.remoteAddress
    if (address === undefined) return undefined
    const peer = look(address)
    if (!peer.isTrusted) return peer.key
    const forwarded = request.header('x-forwarded-for')
    if (forwarded === undefined) return peer.key
    let last = peer
    for (const hop of lastHops(forwarded)) {
      if (isIP(hop) === 0) break
      last = look(hop)
      if (!last.isTrusted) break
    }
    return last.key
  }
}

/** From the nearest on. */
function lastHops(forwarded: string): string[] {
  const end = forwarded.slice(-MAX_FORWARDED_LENGTH)
  return end.split(',').slice(-MAX_HOPS).reverse().map(withoutPort)
}

function withoutPort(text: string): string {
  const address = text.trim()
  const [, bracketed] = /^\[([^\]]+)\](?::\d+)?$/.exec(address) ?? []
  if (bracketed) return bracketed
  return /^[\d.]+:\d+$/.test(address) ? address.slice(0, address.indexOf(':')) : address
}

/** An address as limits count it. */
export function limitKey(address: string): string {
  const plain = address.replace(/^::ffff:(?=[\d.]+$)/i, '')
  if (isIP(plain) !== 6) return plain
  const canonical = new URL(`http://[${plain.split('%', 1)[0]}]/`).hostname.slice(1, -1)
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical)
  if (mapped) return dotted(Number.parseInt(mapped[1]!, 16), Number.parseInt(mapped[2]!, 16))
  return `${groupsOf(canonical).slice(0, GROUPS_OF_64).join(':')}::/64`
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** All eight. */
function groupsOf(canonical: string): string[] {
  const [head = '', tail] = canonical.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail ? tail.split(':') : []
  return [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after]
}
