// app.bsky.labeler.getServices: labelers by DID, with the policies in their records where asked for in
// detail. Records come from the labeler's PDS and stay fresh by the stream (ingest/indexing/); one that a
// member asks for and that is not here is fetched for the next request.

import type { AppBskyLabelerGetServices } from '@atproto/api'
import {
  labelerUri,
  labelerView,
  labelerViewDetailed,
} from '../../../../../answers/views/labeler-view.ts'
import { labelerHeaders } from '../../../../server/answer-headers.ts'
import type { Method } from '../../../../server/method.ts'
import { type AppContext, viewerOf } from '../../../app-context.ts'

const DEFS = 'app.bsky.labeler.defs'

export function getServices(serving: AppContext): Method<AppBskyLabelerGetServices.QueryParams> {
  const { actors, hydrator, fetchRequests } = serving
  return {
    nsid: 'app.bsky.labeler.getServices',
    kind: 'query',
    auth: 'optional',
    handler: (context) => {
      const { dids, detailed } = context.params
      const viewer = viewerOf(actors, context.viewer)
      const uris = dids.map(labelerUri)
      const state = hydrator.records(uris, viewer)
      fetchRequests.ask(viewer, { uris: uris.filter((uri) => !state.records.has(uri)) })
      const present = detailed ? labelerViewDetailed : labelerView
      const $type = detailed ? `${DEFS}#labelerViewDetailed` : `${DEFS}#labelerView`
      const views = uris.flatMap((uri) => {
        const view = present(state, uri)
        return view ? [{ $type, ...view }] : []
      })
      return { body: { views }, headers: labelerHeaders(context) }
    },
  }
}
