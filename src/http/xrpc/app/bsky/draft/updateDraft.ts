// app.bsky.draft.updateDraft: of a draft that is not there (any more) nothing is said.

import type { AppBskyDraftUpdateDraft } from '@atproto/api'
import { stringifyLex } from '@atproto/lexicon'
import type { Method, Params } from '../../../../server/method.ts'
import type { AppContext } from '../../../app-context.ts'

export function updateDraft({
  writer,
}: AppContext): Method<Params, AppBskyDraftUpdateDraft.InputSchema> {
  return {
    nsid: 'app.bsky.draft.updateDraft',
    kind: 'procedure',
    auth: 'required',
    handler: async ({ viewer, input }) => {
      const { id, draft } = input.draft
      const changed = { draftId: id, draft: stringifyLex(draft) }
      await writer.send({ kind: 'update-draft', did: viewer!, ...changed })
      return { body: undefined }
    },
  }
}
