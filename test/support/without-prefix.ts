// Settings by their names without the prefix, as `startSlipstream` takes them.

export function withoutPrefix(env: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(env)
  return Object.fromEntries(
    entries.map(([name, value]) => [name.replace('SLIPSTREAM_', ''), value]),
  )
}
