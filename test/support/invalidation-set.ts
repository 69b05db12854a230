// The invalidations since the last look, which can be asked whether they cover something.

import { INVALIDATION } from '../../src/data/shared-memory/invalidation-kinds.ts'
import type { InvalidationReader } from '../../src/data/shared-memory/invalidation-ring.ts'

export type InvalidationSet = {
  /** Everything is invalidated: `has` returns true for anything. */
  isEverything: boolean
  invalidations: [kind: number, a: number, b: number][]
  /** Omitted `a` and `b` match anything. */
  has(kind: number, a?: number, b?: number): boolean
  /** Checks for an invalidation of two accounts, in either order. */
  hasPair(kind: number, a: number, b: number): boolean
}

export function takeInvalidations(reader: InvalidationReader): InvalidationSet {
  const invalidations: InvalidationSet['invalidations'] = []
  const known = new Set<string>()
  const isEverything = !reader.take((kind, a, b) => {
    invalidations.push([kind, a, b])
    for (const key of [`${kind}`, `${kind} ${a}`, `${kind} ${a} ${b}`, `${kind} * ${b}`]) {
      known.add(key)
    }
  })
  function has(kind: number, a?: number, b?: number): boolean {
    if (isEverything) return true
    if (a === undefined) return known.has(b === undefined ? `${kind}` : `${kind} * ${b}`)
    return known.has(b === undefined ? `${kind} ${a}` : `${kind} ${a} ${b}`)
  }
  return {
    isEverything,
    invalidations,
    has,
    hasPair: (kind, a, b) => has(kind, a, b) || has(kind, b, a),
  }
}

export function nameOfInvalidation(kind: number): string {
  return Object.entries(INVALIDATION).find(([, value]) => value === kind)?.[0] ?? `${kind}`
}
