// JSON whose form nobody has checked, and the objects and lists in it.

import type { JsonObject } from '../event.ts'

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function asObject(value: unknown): JsonObject | undefined {
  return isObject(value) ? value : undefined
}

/** @returns undefined for what is no JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function asArray(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
