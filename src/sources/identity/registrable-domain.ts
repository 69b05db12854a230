// Who is behind a host name: the name that a registry gave away. Whoever has one has as many below it as they like.

import { getDomain } from 'tldts-icann'

/** The host itself where it is below none, as an address or `localhost`. */
export function registrableDomain(host: string): string {
  return getDomain(host) ?? host
}
