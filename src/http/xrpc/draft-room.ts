// How much a member's drafts may take of our disk. As many as in the reference are too much there, where a
// draft is as long as a request: 50 MB of anybody who signs in.

import type { Needs } from './define.ts'

const MAX_DRAFT_BYTES = 4 << 20

/** Whether there is room for this draft, in place of the one that has the id. */
export function hasRoomForDraft(
  { drafts }: Needs<'drafts'>,
  { uid, draft, id }: { uid: number; draft: string; id?: string },
): boolean {
  return drafts.bytes(uid, id) + Buffer.byteLength(draft) <= MAX_DRAFT_BYTES
}
