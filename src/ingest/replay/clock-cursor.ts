// Where a connection begins that has received nothing yet.

/** On the first of these hosts, at this time by our clock. */
export function clockCursor(hosts: readonly string[], wire: 'v1' | 'v2' | 'auto', timeUs: number) {
  const first = wire === 'v1' ? 'v1' : 'v2'
  return { host: hosts[0]!, wire: first, seq: undefined, timeUs, isByClock: true } as const
}
