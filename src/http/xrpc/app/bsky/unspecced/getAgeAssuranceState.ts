// app.bsky.unspecced.getAgeAssuranceState: the older form of ageassurance.getState.

import type { Method } from '../../../../server/method.ts'

export function getAgeAssuranceState(): Method {
  return {
    nsid: 'app.bsky.unspecced.getAgeAssuranceState',
    kind: 'query',
    auth: 'required',
    partly: 'always `unknown`: there is no provider of age assurance here',
    handler: () => ({ body: { status: 'unknown' } }),
  }
}
