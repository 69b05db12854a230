// The setting of the pages for visitors.

import { flag } from '../../base/config/parsers.ts'
import { setting } from '../../base/config/setting.ts'

export const visitorSettings = {
  visitorPages: setting(
    'VISITOR_PAGES',
    'on',
    flag,
    'Whether profiles, posts and hashtags have pages for people who are not signed in, with feeds for feed readers (docs/CLIENT.md). Accounts that ask not to be shown to visitors are not.',
  ),
}
