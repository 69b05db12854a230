// The settings of For You: its memory, and whose feed it is for users of other servers.

import { did, integer } from '../../base/config/parsers.ts'
import { optional, setting } from '../../base/config/setting.ts'

const MAX_MB = 4096

export const forYouSettings = {
  forYouMb: setting(
    'FOR_YOU_MB',
    '96',
    integer(0, MAX_MB),
    'Memory in MB for For You, which finds posts by people who liked what a member liked (docs/FOR-YOU.md); 0: none.',
  ),
  forYouPublisher: optional(
    'FOR_YOU_PUBLISHER',
    did,
    'The account (a DID) whose record app.bsky.feed.generator/for-you offers For You to users of other servers (docs/FOR-YOU.md).',
  ),
}
