// The table at the end of the end-to-end test: latencies as seen from outside.

export type Latencies = {
  add: (name: string, milliseconds: number) => void
  /** One row per name; milliseconds. */
  table: () => string
}

export function createLatencies(): Latencies {
  const measured = new Map<string, number[]>()

  function add(name: string, milliseconds: number): void {
    const values = measured.get(name) ?? []
    values.push(milliseconds)
    measured.set(name, values)
  }

  function table(): string {
    const width = Math.max(0, ...[...measured.keys()].map((name) => name.length))
    const rows = [...measured].map(([name, values]) => `  ${name.padEnd(width)}  ${row(values)}`)
    return `\nMilliseconds\n${rows.join('\n')}\n`
  }

  return { add, table }
}

function row(values: number[]): string {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
  const visible = { n: sorted.length, p50: at(0.5), p90: at(0.9), max: sorted.at(-1)! }
  return Object.entries(visible)
    .map(([name, value]) => `${name} ${String(Math.round(value)).padStart(5)}`)
    .join('  ')
}
