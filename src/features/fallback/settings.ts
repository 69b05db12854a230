// The setting of the public AppView.

import { originOrNone } from '../../base/config/parsers.ts'
import { setting } from '../../base/config/setting.ts'

export const fallbackSettings = {
  fallbackAppview: setting(
    'FALLBACK_APPVIEW',
    'https://public.api.bsky.app',
    originOrNone,
    'Public AppView to ask for data that neither index nor PDS has in time: strangers’ counts, feeds, threads and wide search. It never learns which viewer asked. none: fully independent.',
  ),
}
