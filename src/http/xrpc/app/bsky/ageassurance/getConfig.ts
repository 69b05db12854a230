// app.bsky.ageassurance.getConfig: in which regions a client has to ask for age assurance. This server
// has no provider for it and asks for it nowhere, and says so, which leaves the decision to the client.

import { query } from '../../../define.ts'

export const getAgeAssuranceConfig = query(
  'app.bsky.ageassurance.getConfig',
  {
    auth: 'optional',
    partly: 'no region: there is no provider of age assurance here',
    showsLabels: false,
  },
  () => ({ body: { regions: [] } }),
)
