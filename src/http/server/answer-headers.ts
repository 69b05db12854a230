// The header by which an AppView tells a client whose labels an answer has.

import { formatLabelers } from './labelers.ts'
import type { MethodContext } from './method.ts'

/** Whose labels were taken into account: the accepted labelers, echoed as the reference does. */
export function labelerHeaders({
  labelers,
}: Pick<MethodContext, 'labelers'>): Record<string, string> {
  return labelers ? { 'atproto-content-labelers': formatLabelers(labelers) } : {}
}
