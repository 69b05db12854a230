// app.bsky.ageassurance.getConfig: regions in which clients must ask for age assurance. This server has no
// provider for it and names no region, which leaves the decision to the client.

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
