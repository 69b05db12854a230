// app.bsky.draft.createDraft: private state, kept here and in no repository.

import type { AppBskyDraftCreateDraft } from '@atproto/api'
import { stringifyLex } from '@atproto/lexicon'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import type { Method, Params } from '../../../../server/method.ts'
import type { AppContext } from '../../../app-context.ts'
import { newDraftId } from '../../../draft-id.ts'

/** As in the reference. */
const MAX_DRAFTS = 500

export function createDraft({
  actors,
  drafts,
  writer,
}: AppContext): Method<Params, AppBskyDraftCreateDraft.InputSchema> {
  return {
    nsid: 'app.bsky.draft.createDraft',
    kind: 'procedure',
    auth: 'required',
    handler: async ({ viewer, input }) => {
      if (drafts.count(actors.uidOf(viewer!)) >= MAX_DRAFTS) {
        throw invalidRequest('Drafts limit reached', 'DraftLimitReached')
      }
      const id = newDraftId()
      const draft = stringifyLex(input.draft)
      await writer.send({ kind: 'create-draft', did: viewer!, draftId: id, draft })
      return { body: { id } }
    },
  }
}
