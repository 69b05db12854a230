import { BlockList, isIP } from 'node:net'

/** True for addresses within one of the ranges, as base/config/address-ranges.ts writes them; accepts IPv4 addresses in IPv6 form. */
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
