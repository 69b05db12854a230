// app.bsky.draft.updateDraft: of a draft that is not there (any more) nothing is said.

import type { AppBskyDraftUpdateDraft } from '@atproto/api'
import { stringifyLex } from '@atproto/lexicon'
import type { SignedInCall } from '../../../call.ts'
import { procedure } from '../../../define.ts'

export const updateDraft = procedure(
  'app.bsky.draft.updateDraft',
  {},
  async ({ writer }, call: SignedInCall<unknown, AppBskyDraftUpdateDraft.InputSchema>) => {
    const { id, draft } = call.input.draft
    const changed = { draftId: id, draft: stringifyLex(draft) }
    await writer.send({ kind: 'update-draft', did: call.viewer.did, ...changed })
    return { body: undefined }
  },
)
