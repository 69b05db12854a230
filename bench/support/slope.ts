/** Slope of the least-squares line, per step. */
export function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const products = values.map((value, i) => (i - middle) * (value - mean))
  const squares = values.map((_, i) => (i - middle) ** 2)
  const sum = (all: number[]) => all.reduce((a, b) => a + b, 0)
  return sum(products) / sum(squares)
}
