// app.bsky.draft.updateDraft. Updating a missing draft is silently ignored.

import type { AppBskyDraftUpdateDraft } from '@atproto/api'
import { stringifyLex } from '@atproto/lexicon'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import type { SignedInCall } from '../../../call.ts'
import { procedure } from '../../../define.ts'
import { hasCapacityForDraft } from '../../../private/draft-capacity.ts'
import { oneByOne } from '../../../private/one-by-one.ts'

export const updateDraft = procedure(
  'app.bsky.draft.updateDraft',
  {},
  async (app, call: SignedInCall<unknown, AppBskyDraftUpdateDraft.InputSchema>) => {
    const { did, uid } = call.viewer
    const { id } = call.input.draft
    const draft = stringifyLex(call.input.draft.draft)
    return oneByOne(call, 'drafts', async () => {
      if (!hasCapacityForDraft(app, { uid, draft, id })) {
        throw invalidRequest('Drafts limit reached')
      }
      await app.writer.send({ kind: 'update-draft', did, draftId: id, draft })
      return { body: undefined }
    })
  },
)
