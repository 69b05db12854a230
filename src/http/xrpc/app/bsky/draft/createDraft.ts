// app.bsky.draft.createDraft: private state, kept here and in no repository.

import type { AppBskyDraftCreateDraft } from '@atproto/api'
import { stringifyLex } from '@atproto/lexicon'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import type { SignedInCall } from '../../../call.ts'
import { procedure } from '../../../define.ts'
import { newDraftId } from '../../../draft-id.ts'
import { hasRoomForDraft } from '../../../draft-room.ts'

/** As in the reference. */
const MAX_DRAFTS = 500

export const createDraft = procedure(
  'app.bsky.draft.createDraft',
  {},
  async (app, { viewer, input }: SignedInCall<unknown, AppBskyDraftCreateDraft.InputSchema>) => {
    const draft = stringifyLex(input.draft)
    const hasRoom = hasRoomForDraft(app, { uid: viewer.uid, draft })
    if (!hasRoom || app.drafts.count(viewer.uid) >= MAX_DRAFTS) {
      throw invalidRequest('Drafts limit reached', 'DraftLimitReached')
    }
    const id = newDraftId()
    await app.writer.send({ kind: 'create-draft', did: viewer.did, draftId: id, draft })
    return { body: { id } }
  },
)
