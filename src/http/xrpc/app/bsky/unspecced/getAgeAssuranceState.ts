// app.bsky.unspecced.getAgeAssuranceState: the older form of ageassurance.getState.

import { query } from '../../../define.ts'

export const getAgeAssuranceState = query(
  'app.bsky.unspecced.getAgeAssuranceState',
  {
    auth: 'required',
    partly: 'always `unknown`: there is no provider of age assurance here',
    showsLabels: false,
  },
  () => ({ body: { status: 'unknown' } }),
)
