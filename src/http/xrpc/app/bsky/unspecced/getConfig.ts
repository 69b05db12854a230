// app.bsky.unspecced.getConfig: features that clients may show. This server has trends.

import { query } from '../../../define.ts'

export const getConfig = query(
  'app.bsky.unspecced.getConfig',
  { auth: 'none', showsLabels: false },
  () => ({ body: { checkEmailConfirmed: false, topicsEnabled: true } }),
)
