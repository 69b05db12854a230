// Parsers from an operator's text to the value of a setting. A parser that rejects the text says what would
// be valid.

import { isIP } from 'node:net'
import { ensureValidDid } from '@atproto/syntax'
import { INVITE } from './members.ts'

/** Thrown by a parser; the message says what would be valid. */
export class Unfit extends Error {}

export function integer(min: number, max: number) {
  return (text: string): number => {
    const value = Number(text.replaceAll('_', ''))
    if (text.trim() !== '' && Number.isInteger(value) && value >= min && value <= max) return value
    throw new Unfit(`a whole number from ${min} to ${max}`)
  }
}

export function portOrOff(value: string): number | undefined {
  if (['off', 'none', '0'].includes(value.trim().toLowerCase())) return undefined
  try {
    return integer(1, 65_535)(value)
  } catch {
    throw new Unfit('a port from 1 to 65535, or off')
  }
}

/** A retention in days. Streams replay at most three days, and their events must still be known. */
export function days(text: string): number {
  const value = integer(0, 100_000)(text)
  if (value === 0 || value >= 4) return value
  throw new Unfit('0 (for ever), or a whole number of days from 4')
}

/** Less would not hold even a single member's circle. */
export function capMb(text: string): number {
  const value = integer(0, 1_000_000_000)(text)
  if (value === 0 || value >= 50) return value
  throw new Unfit('0 (no limit), or a whole number of megabytes from 50')
}

export function oneOf<const T extends string>(...choices: T[]) {
  return (text: string): T => {
    const found = choices.find((choice) => choice === text.trim().toLowerCase())
    if (found) return found
    throw new Unfit(`one of ${choices.join(', ')}`)
  }
}

export function flag(text: string): boolean {
  const value = text.trim().toLowerCase()
  if (['1', 'true', 'on', 'yes'].includes(value)) return true
  if (['0', 'false', 'off', 'no'].includes(value)) return false
  throw new Unfit('on or off')
}

export function text(value: string): string {
  if (value.trim() === '') throw new Unfit('not empty')
  return value.trim()
}

/** A folder or file. Nothing here stands for a person's home: only a shell reads `~` so. */
export function path(value: string): string {
  const name = text(value)
  if (!/^~/.test(name)) return name
  throw new Unfit('the whole path, since only a shell knows what ~ is')
}

export function list(value: string): string[] {
  return value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/** https://www.rfc-editor.org/rfc/rfc1123#section-2.1 */
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

export function hostname(value: string): string {
  const host = value.trim().toLowerCase()
  const [name = '', port, ...more] = host.split(':')
  const isName = name.length <= 253 && name.split('.').every((label) => LABEL.test(label))
  if (isName && isOtherPort(port) && more.length === 0) return host
  throw new Unfit(
    'a host name such as appview.example.org, without a dot at its end, and with :port only if it is not 443',
  )
}

/** With :443, the DID would be another one than without. */
function isOtherPort(port: string | undefined): boolean {
  return port === undefined || (/^[1-9]\d{0,4}$/.test(port) && +port <= 65_535 && +port !== 443)
}

/** An address of this machine, or a name of it. */
export function listenAddress(value: string): string {
  const address = text(value)
  if (
    isIP(address.split('%')[0]!) ||
    address
      .toLowerCase()
      .split('.')
      .every((label) => LABEL.test(label))
  )
    return address
  throw new Unfit(
    'an address such as 127.0.0.1 or ::1, without brackets, quotes or a port; 0.0.0.0 or :: for all',
  )
}

export function did(value: string): string {
  try {
    ensureValidDid(value.trim())
    return value.trim()
  } catch {
    throw new Unfit(
      'a DID such as did:web:appview.example.org; a handle may change its owner, and com.atproto.identity.resolveHandle names its DID',
    )
  }
}

export function url(...protocols: string[]) {
  return (value: string): string => {
    const parsed = URL.canParse(value.trim()) ? new URL(value.trim()) : undefined
    if (parsed && protocols.includes(parsed.protocol)) return value.trim().replace(/\/$/, '')
    throw new Unfit(`a URL that starts with ${protocols.map((p) => `${p}//`).join(' or ')}`)
  }
}

/** Other placeholders are optional: an image is identified by its account and CID. */
export function mediaPattern(value: string): string {
  const pattern = value.trim()
  const isWeb = URL.canParse(pattern) && /^https?:\/\//.test(pattern)
  if (isWeb && pattern.includes('{did}') && pattern.includes('{cid}')) return pattern
  throw new Unfit('an http(s):// address with {did} and {cid} in it')
}

export function jetstreamHosts(value: string): string[] {
  const hosts = list(value).map(url('ws:', 'wss:'))
  for (const host of hosts) {
    if (new URL(host).pathname !== '/') throw new Unfit('origins only, such as wss://host, no path')
  }
  if (hosts.length > 0) return hosts
  throw new Unfit('one or more ws:// or wss:// origins, separated by commas')
}

/** `off`: no host. */
export function jetstreamHostsOrOff(value: string): string[] {
  return value.trim().toLowerCase() === 'off' ? [] : jetstreamHosts(value)
}

/** `off`: none. */
export function originsOrOff(value: string): string[] {
  if (value.trim().toLowerCase() === 'off') return []
  const all = list(value).map(originOrNone)
  if (all.length > 0 && !all.includes('none')) return all
  throw new Unfit('https:// origins, separated by commas, or off')
}

export function originOrNone(value: string): string {
  if (['none', 'off'].includes(value.trim().toLowerCase())) return 'none'
  const text = url('http:', 'https:')(value)
  if (new URL(text).origin === text) return text
  throw new Unfit('an origin such as https://public.api.bsky.app, without a path, or none')
}

export function members(value: string): 'open' | string[] {
  if (value.trim().toLowerCase() === 'open') return 'open'
  const accounts = list(value).map((value) => (value.toLowerCase() === INVITE ? INVITE : value))
  if (accounts.some((one) => one.toLowerCase() === 'open'))
    throw new Unfit('"open" by itself, which lets everyone in, or a list without that word')
  for (const account of accounts) {
    if (account === INVITE) continue
    const isDid = account.startsWith('did:')
    if (isDid) did(account)
    else if (!/^([a-z0-9-]{1,63}\.)+[a-z][a-z0-9-]{0,62}$/i.test(account)) {
      throw new Unfit(
        `"open", or DIDs, handles and the word invite, separated by commas; "${account}" is neither`,
      )
    }
  }
  if (accounts.length > 0) return accounts
  throw new Unfit('"open", or DIDs, handles and the word invite, separated by commas')
}

export function dids(value: string): string[] {
  return list(value).map(did)
}

const MIN_SECRET_LENGTH = 16

/** Must fit in a header and be hard to guess. */
export function secret(value: string): string {
  const token = value.trim()
  if (token.length >= MIN_SECRET_LENGTH && /^[\x21-\x7e]+$/.test(token)) return token
  throw new Unfit(
    `at least ${MIN_SECRET_LENGTH} characters without spaces, for example from \`openssl rand -hex 32\``,
  )
}
