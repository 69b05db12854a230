// The setting of signing in.

import { flag, Unfit } from '../../base/config/parsers.ts'
import { setting } from '../../base/config/setting.ts'

export const signInSettings = {
  signIn: setting(
    'SIGN_IN',
    'on',
    flag,
    'Whether people sign in at /read with their own accounts, by OAuth at their own PDSs, and read and write there (docs/CLIENT.md). off: /read is only for reading links.',
  ),
  previousAppview: setting(
    'PREVIOUS_APPVIEW',
    'did:web:api.bsky.app#bsky_appview',
    service,
    'The AppView that members used before, as DID#service: the client at /read brings their mutes, bookmarks and drafts from there, and away again (docs/CLIENT.md).',
  ),
}

function service(value: string): string {
  if (/^did:(plc|web):[\w.:%-]+#[\w-]+$/.test(value)) return value
  throw new Unfit('a DID with a service, such as did:web:api.bsky.app#bsky_appview')
}
