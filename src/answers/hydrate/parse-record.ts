// Stored records are JSON text. One that can't be read, or is not sound enough for a view, is
// treated as absent and counted, never fatal.

import { parseJson } from '../../base/util/json-object.ts'
import type { Check } from './shape.ts'

/** Told of every stored record that could not be used: its kind. */
export type OnUnusable = (kind: string) => void

export function parseRecord<T extends object>(
  text: string | null,
  { kind, isSound, onUnusable }: { kind: string; isSound: Check; onUnusable: OnUnusable },
): T | undefined {
  const value = parseJson(text ?? '')
  if (isSound(value)) return value as T
  onUnusable(kind)
  return undefined
}
