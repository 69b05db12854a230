// Byte texts with something cut off or put in.

import { fullText } from '../views/json/ready-json.ts'
import type { LabelMemory } from './label-memory.ts'

/** Of a text that ends an object. Nearly all posts have the same one. */
export function withoutBrace(text: string): string {
  if (text !== closed) {
    closed = text
    open = fullText(text.slice(0, -1))
  }
  return open
}

let closed = ''
let open = ''

/**
 * Inserts from the last spot to the first, so that earlier offsets stay valid. See CachedView
 * `labelSpots`.
 */
export function withLabelsIn(
  pieces: readonly string[],
  spots: readonly number[],
  labels: LabelMemory,
): readonly string[] {
  const labelled = [...pieces]
  for (let i = spots.length - 3; i >= 0; i -= 3) {
    const [labelState, piece, at] = [labels.get(spots[i]!), spots[i + 1]!, spots[i + 2]!]
    if (typeof labelState !== 'string' || labelState === '') continue
    const [before, after] = [labelled[piece]!.slice(0, at), labelled[piece]!.slice(at)]
    labelled[piece] = `${before}${labelState}${after.startsWith(']') ? '' : ','}${after}`
  }
  return labelled
}
