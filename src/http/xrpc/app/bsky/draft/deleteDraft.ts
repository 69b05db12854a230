// app.bsky.draft.deleteDraft. Deleting a missing draft is no error.

import type { AppBskyDraftDeleteDraft } from '@atproto/api'
import type { SignedInCall } from '../../../call.ts'
import { procedure } from '../../../define.ts'

export const deleteDraft = procedure(
  'app.bsky.draft.deleteDraft',
  {},
  async ({ writer }, call: SignedInCall<unknown, AppBskyDraftDeleteDraft.InputSchema>) => {
    await writer.send({ kind: 'delete-draft', did: call.viewer.did, draftId: call.input.id })
    return { body: undefined }
  },
)
