// app.bsky.labeler.getServices: labelers by DID, with the policies in their records if details are requested.
// Records come from the labeler's PDS and are kept current by the stream (ingest/indexing/); one that a
// member requests and that is missing is fetched for the next request.

import type { AppBskyLabelerGetServices } from '@atproto/api'
import {
  labelerUri,
  labelerView,
  labelerViewDetailed,
} from '../../../../../answers/views/labeler-view.ts'
import type { Call } from '../../../call.ts'
import { query } from '../../../define.ts'

const DEFS = 'app.bsky.labeler.defs'

export const getServices = query(
  'app.bsky.labeler.getServices',
  { auth: 'optional', isByKeys: true },
  ({ hydrator }, { params, reader }: Call<AppBskyLabelerGetServices.QueryParams>) => {
    const { dids, detailed } = params
    const uris = dids.map(labelerUri)
    const state = hydrator.records(uris, reader)
    reader.missing.add({ uris: uris.filter((uri) => !state.records.has(uri)) })
    const present = detailed ? labelerViewDetailed : labelerView
    const $type = detailed ? `${DEFS}#labelerViewDetailed` : `${DEFS}#labelerView`
    const views = uris.flatMap((uri) => {
      const view = present(state, uri)
      return view ? [{ $type, ...view }] : []
    })
    return { body: { views } }
  },
)
