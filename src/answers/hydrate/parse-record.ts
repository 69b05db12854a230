// Stored records are JSON text. One that can't be read, or is not sound enough for a view, is
// treated as absent and counted, never fatal.

import type { Check } from './shape.ts'

/** Told of every stored record that could not be used: its kind. */
export type OnUnusable = (kind: string) => void

export function parseRecord<T extends object>(
  text: string | null,
  { kind, isSound, onUnusable }: { kind: string; isSound: Check; onUnusable: OnUnusable },
): T | undefined {
  const value = parse(text ?? '')
  if (isSound(value)) return value as T
  onUnusable(kind)
  return undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
