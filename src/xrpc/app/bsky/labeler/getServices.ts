// app.bsky.labeler.getServices. Labeler records are not indexed, so none of those asked for is known
// here; clients then show labels by their raw names.

import { labelerHeaders } from '../../../answer-headers.ts'
import type { Method } from '../../../method.ts'

export function getServices(): Method {
  return {
    nsid: 'app.bsky.labeler.getServices',
    kind: 'query',
    auth: 'optional',
    handler: (context) => ({ body: { views: [] }, headers: labelerHeaders(context) }),
  }
}
