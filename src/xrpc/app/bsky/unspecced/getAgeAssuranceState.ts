// app.bsky.unspecced.getAgeAssuranceState: the older form of ageassurance.getState.

import type { Method } from '../../../method.ts'

export function getAgeAssuranceState(): Method {
  return {
    nsid: 'app.bsky.unspecced.getAgeAssuranceState',
    kind: 'query',
    auth: 'required',
    handler: () => ({ body: { status: 'unknown' } }),
  }
}
