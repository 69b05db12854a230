// app.bsky.feed.postgate: who may quote.

import { HAS_POSTGATE } from '../../data/store/post-flags.ts'
import { type GateKind, putGate, removeGate } from './gate.ts'
import type { IndexContext, Outcome, RecordRemoval, RecordWrite } from './index-context.ts'

const kind: GateKind = { table: 'postgates', flag: HAS_POSTGATE }

export function putPostgate(ctx: IndexContext, write: RecordWrite): Outcome {
  return putGate(ctx, write, kind)
}

export function removePostgate(ctx: IndexContext, removal: RecordRemoval): boolean {
  return removeGate(ctx, removal, kind)
}
