// app.bsky.ageassurance.getConfig: in which regions a client has to ask for age assurance. This server
// has no provider for it and asks for it nowhere, and says so, which leaves the decision to the client.

import type { Method } from '../../../../server/method.ts'

export function getAgeAssuranceConfig(): Method {
  return {
    nsid: 'app.bsky.ageassurance.getConfig',
    kind: 'query',
    auth: 'optional',
    partly: 'no region: there is no provider of age assurance here',
    handler: () => ({ body: { regions: [] } }),
  }
}
