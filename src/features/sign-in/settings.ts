// The setting of signing in.

import { flag } from '../../base/config/parsers.ts'
import { setting } from '../../base/config/setting.ts'

export const signInSettings = {
  signIn: setting(
    'SIGN_IN',
    'on',
    flag,
    'Whether people sign in at /read with their own accounts, by OAuth at their own PDSs, and read and write there (docs/CLIENT.md). off: /read is only for reading links.',
  ),
}
