// One figure of a benchmark: what it is called, its value, and the unit it is in; and how a
// benchmark is asked for them.

export type BenchResult = {
  name: string
  value: number
  unit: string
  /** Why it counts for nothing: it is printed so, and not kept. */
  doubt?: string | undefined
}

export type BenchOptions = {
  /** At its real size; otherwise small enough for CI. */
  full: boolean
  /** Whether the figure, or any that begins so, was asked for. What was not may be left out. */
  wants: (figure: string) => boolean
}

/** Whether one name begins the other: `getTimeline` asks for `getTimeline.cpu_ms`, and is part of it. */
export function wantsOf(figures: readonly string[]): BenchOptions['wants'] {
  if (figures.length === 0) return () => true
  return (figure) => figures.some((asked) => asked.startsWith(figure) || figure.startsWith(asked))
}
