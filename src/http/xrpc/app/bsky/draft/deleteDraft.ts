// app.bsky.draft.deleteDraft. What was not there can't be missed.

import type { AppBskyDraftDeleteDraft } from '@atproto/api'
import type { Method, Params } from '../../../../server/method.ts'
import type { AppContext } from '../../../app-context.ts'

export function deleteDraft({
  writer,
}: AppContext): Method<Params, AppBskyDraftDeleteDraft.InputSchema> {
  return {
    nsid: 'app.bsky.draft.deleteDraft',
    kind: 'procedure',
    auth: 'required',
    handler: async ({ viewer, input }) => {
      await writer.send({ kind: 'delete-draft', did: viewer!, draftId: input.id })
      return { body: undefined }
    },
  }
}
