// Limits the disk space of a member's drafts. The reference's limit by number alone is too high here, where a
// draft may be as long as a request: it allows 50 MB to every account that signs in.

import type { Needs } from '../define.ts'

const MAX_DRAFT_BYTES = 4 << 20

/** Whether there is room for this draft, which replaces the one with the same `id`. */
export function hasCapacityForDraft(
  { drafts }: Needs<'drafts'>,
  { uid, draft, id }: { uid: number; draft: string; id?: string },
): boolean {
  return drafts.bytes(uid, id) + Buffer.byteLength(draft) <= MAX_DRAFT_BYTES
}
