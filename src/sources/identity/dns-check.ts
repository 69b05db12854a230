// Whether DNS can be believed here when it says that a name does not exist: a name server without a network of
// its own, or a captive portal's, says so of every name, or leads all of them to one private address. So it
// must find a name that surely exists: the directory's, or one of the root name servers.

import { isIP } from 'node:net'
import { SECOND_MS } from '../../base/util/durations.ts'
import type { LookupAddresses } from './guarded-lookup.ts'
import { isPublicAddress } from './public-address.ts'

type DnsCheck = {
  findsNames(): Promise<boolean>
  /** One that it must find, for messages. */
  example: string
}

const ROOT = 'a.root-servers.net'
/** So that a flood of made-up handles does not ask for the same names each time. */
const BELIEVED_FOR_MS = 5 * SECOND_MS

export function createDnsCheck(options: {
  plcUrl: string
  addressesOf: LookupAddresses
  now?: (() => number) | undefined
}): DnsCheck {
  const { addressesOf, now = Date.now } = options
  const { hostname } = new URL(options.plcUrl)
  const isName = isIP(hostname.replace(/^\[|\]$/g, '')) === 0 && hostname.includes('.')
  const names = isName ? [hostname, ROOT] : [ROOT]
  let last: { at: number; isFound: Promise<boolean> } | undefined

  async function isFound(name: string): Promise<boolean> {
    const addresses = await addressesOf(name).catch(() => [])
    return addresses.length > 0 && addresses.every(isPublicAddress)
  }

  async function isAnyFound(): Promise<boolean> {
    return (await Promise.all(names.map(isFound))).includes(true)
  }

  return {
    example: names[0]!,
    findsNames() {
      const isOld = !last || now() - last.at >= BELIEVED_FOR_MS
      if (isOld) last = { at: now(), isFound: isAnyFound() }
      return last!.isFound
    },
  }
}
