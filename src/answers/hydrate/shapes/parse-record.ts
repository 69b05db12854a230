// Parses stored records, which are JSON text. A record that cannot be parsed or is not sound enough for a
// view is treated as absent and counted; it is never fatal.

import { parseJson } from '../../../base/util/json-object.ts'
import type { Check } from './shape.ts'

/** Called with the kind of each stored record that could not be used. */
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
