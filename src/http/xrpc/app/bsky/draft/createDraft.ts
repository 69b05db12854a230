// app.bsky.draft.createDraft: private state, kept here and in no repository.

import { randomInt } from 'node:crypto'
import type { AppBskyDraftCreateDraft } from '@atproto/api'
import { stringifyLex } from '@atproto/lexicon'
import { tidOfMicros } from '../../../../../base/atproto/tid.ts'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import type { SignedInCall } from '../../../call.ts'
import { procedure } from '../../../define.ts'
import { hasCapacityForDraft } from '../../../private/draft-capacity.ts'
import { oneByOne } from '../../../private/one-by-one.ts'

/** As in the reference. */
const MAX_DRAFTS = 500
const CLOCK_IDS = 1024

let lastUs = 0

export const createDraft = procedure(
  'app.bsky.draft.createDraft',
  {},
  async (app, call: SignedInCall<unknown, AppBskyDraftCreateDraft.InputSchema>) => {
    const { viewer, input } = call
    const draft = stringifyLex(input.draft)
    return oneByOne(call, 'drafts', async () => {
      const hasCapacity = hasCapacityForDraft(app, { uid: viewer.uid, draft })
      if (!hasCapacity || app.drafts.count(viewer.uid) >= MAX_DRAFTS) {
        throw invalidRequest('Drafts limit reached', 'DraftLimitReached')
      }
      const id = newDraftId(Date.now())
      await app.writer.send({ kind: 'create-draft', did: viewer.did, draftId: id, draft })
      return { body: { id } }
    })
  },
)

/**
 * A TID (https://atproto.com/specs/tid) of the current time, ascending within this thread. The
 * clock id is random each time, so that two threads don't collide.
 */
function newDraftId(nowMs: number): string {
  lastUs = Math.max(nowMs * 1000, lastUs + 1)
  return tidOfMicros(lastUs, randomInt(CLOCK_IDS))
}
