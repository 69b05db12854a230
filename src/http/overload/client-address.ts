// A visitor's address for rate limits: the connection's, or, if that is one of our reverse proxies, the last
// address in X-Forwarded-For that none of our proxies wrote. Everything left of it was sent by the client and
// is untrusted. IPv6 counts by /64, which is what one customer gets; IPv4 in IPv6 form counts as IPv4.

import { isIP } from 'node:net'
import { LruMap } from '../../base/util/lru.ts'
import { createRangeCheck } from '../../base/util/range-check.ts'
import { registrableDomain } from '../../sources/identity/registrable-domain.ts'
import type { ChargedRequest } from './charged-request.ts'

/** Undefined for a request without a network socket, that is, one of our own. */
type ClientAddress = (
  request: Pick<ChargedRequest, 'remoteAddress' | 'header'>,
) => string | undefined

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

/** Nearest first. */
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

/** An address's key for rate limits. */
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

/** All eight groups. */
function groupsOf(canonical: string): string[] {
  const [head = '', tail] = canonical.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail ? tail.split(':') : []
  return [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after]
}

// The registered domain of a did:web account. All names under one count as one, since they cost nothing.

const WEB = 'did:web:'

/** Undefined for accounts of other methods. */
export function webDomainOf(did: string): string | undefined {
  if (!did.startsWith(WEB)) return undefined
  const [name = ''] = did.slice(WEB.length).split(':')
  const [host = ''] = decodeURIComponent(name).split(':')
  return registrableDomain(host)
}
