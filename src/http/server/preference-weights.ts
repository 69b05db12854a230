// What a header of preferences weighs: `accept-encoding` and `accept-language` (RFC 9110, 12.4.2).

/**
 * @param ranges - parts of the header, such as `de-AT;q=0.8`
 * @returns by what each names, in lower case; 0 for a weight that is no number
 */
export function preferenceWeights(ranges: readonly string[]): Map<string, number> {
  const weights = new Map<string, number>()
  for (const range of ranges) {
    const [name = '', ...parameters] = range.split(';')
    const q = parameters.find((parameter) => /^\s*q=/i.test(parameter))?.split('=')[1]
    const weight = q === undefined ? 1 : Number(q)
    weights.set(name.trim().toLowerCase(), Number.isFinite(weight) ? weight : 0)
  }
  return weights
}
