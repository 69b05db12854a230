// Parses JSON from strangers so that it is safe to walk.

import { isObject, type JsonObject } from '../../../base/util/json-object.ts'

/** The deepest answer requested is a thread of 80 nested posts. */
const MAX_DEPTH = 200

/** @returns undefined if it is not an object, is too deep, or could reach a prototype. */
export function parseObject(body: Buffer): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(body.toString())
    return isObject(value) && isSafe(value, 0) ? value : undefined
  } catch {
    return undefined
  }
}

function isSafe(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value !== 'object' || value === null) return true
  if (depth >= MAX_DEPTH || Object.hasOwn(value, '__proto__')) return false
  return Object.values(value).every((inner) => isSafe(inner, depth + 1))
}
