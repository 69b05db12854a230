// Building blocks for checks on JSON values: each tells whether a value has a shape.

import { isObject } from '../../../base/util/json-object.ts'

export type Check = (value: unknown) => boolean

export const isText: Check = (value) => typeof value === 'string'

export const isCount: Check = (value) => Number.isInteger(value) && (value as number) >= 0

export const isPositive: Check = (value) => Number.isInteger(value) && (value as number) > 0

/** Passes `undefined`, too: the field may be omitted. */
export function optional(check: Check): Check {
  return (value) => value === undefined || check(value)
}

/** An object whose named fields pass; other fields are ignored. */
export function object(fields: Record<string, Check>): Check {
  const checks = Object.entries(fields)
  return (value) =>
    isObject(value) &&
    checks.every(([name, check]) => check((value as Record<string, unknown>)[name]))
}

export function arrayOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check)
}

/**
 * An open union: an object with a `$type` that, if it is a known member, passes the member's check.
 */
export function union(members: Record<string, Check>): Check {
  return (value) => {
    if (!isObject(value)) return false
    const type = value['$type']
    if (typeof type !== 'string') return false
    return !Object.hasOwn(members, type) || members[type]!(value)
  }
}
