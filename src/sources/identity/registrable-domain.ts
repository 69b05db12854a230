// The registrable domain of a host name. The owner of one can create any number of names below it.

import { getDomain } from 'tldts-icann'

/** The host itself if there is none, as for an address or `localhost`. */
export function registrableDomain(host: string): string {
  return getDomain(host) ?? host
}
