// Checks the host name's DNS records, since PDSs connect there: only public addresses, and this machine's or
// those of a proxy in front of it.

import { networkInterfaces } from 'node:os'
import { isPublicAddress } from '../../sources/identity/public-address.ts'
import { type DoctorContext, isLocalOnly, nameOf } from './context.ts'
import { type Finding, good, notice, unchecked, wrong } from './finding.ts'

export async function checkName(doctor: DoctorContext): Promise<Finding[]> {
  const { config } = doctor
  const name = nameOf(config)
  if (isLocalOnly(config)) return [unchecked(`${config.hostname} is not in DNS`)]
  const addresses = await doctor.addressesOf(name)
  if (addresses.length > 0) return aboutAddresses(name, addresses)
  if (!(await doctor.isOnline())) return [unchecked(`offline: ${name} can’t be looked up`)]
  const fix = `Add an A record (and AAAA) for ${name} with this machine’s public address at your DNS provider; \`dig +short ${name}\` shows it once it exists.`
  return [wrong(`${name} is not in DNS`, fix)]
}

function aboutAddresses(name: string, addresses: string[]): Finding[] {
  const hidden = addresses.filter((address) => !isPublicAddress(address))
  if (hidden.length > 0) {
    const text = `${name} resolves to ${hidden.join(', ')}, which is not public: PDSs refuse to call it`
    return [wrong(text, `Give ${name} this machine’s public address in DNS, and no other.`)]
  }
  const own = new Set(
    Object.values(networkInterfaces())
      .flatMap((all) => all ?? [])
      .map((networkInterfaceInfo) => networkInterfaceInfo.address),
  )
  const fallback = addresses.filter((address) => !own.has(address))
  const text = `${name} resolves to ${addresses.join(', ')}`
  if (fallback.length === 0) return [good(`${text}: this machine`)]
  if (fallback.length === addresses.length) {
    return [
      good(`${text}: not this machine’s own address, so probably a router or proxy in front of it`),
    ]
  }
  const fix = `Check the record: \`dig +short ${name} A ${name} AAAA\`. A wrong AAAA fails only for some clients.`
  return [notice(`${text}, but ${fallback.join(', ')} is not this machine’s`, fix)]
}
