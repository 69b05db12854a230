// One figure of a benchmark: what it is called, its value, and the unit it is in.

export type BenchResult = { name: string; value: number; unit: string }
