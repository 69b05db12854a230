// One figure of a benchmark (name, value, unit), and the options that a benchmark is called with.

export type BenchResult = {
  name: string
  value: number
  unit: string
  /** Why the figure is unreliable; it is printed with this reason and not saved. */
  doubt?: string | undefined
}

export type BenchOptions = {
  /** Runs at its real size; otherwise small enough for CI. */
  full: boolean
  /** Whether the figure, or any with this prefix, was requested. Others may be skipped. */
  wants: (figure: string) => boolean
}

/**
 * Matches if either name is a prefix of the other: `getTimeline` requests `getTimeline.cpu_ms`, and
 * is part of it.
 */
export function wantsOf(figures: readonly string[]): BenchOptions['wants'] {
  if (figures.length === 0) return () => true
  return (figure) =>
    figures.some((requested) => requested.startsWith(figure) || figure.startsWith(requested))
}
