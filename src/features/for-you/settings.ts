// The setting of For You: its memory.

import { integer } from '../../base/config/parsers.ts'
import { setting } from '../../base/config/setting.ts'

const MAX_MB = 4096

export const forYouSettings = {
  forYouMb: setting(
    'FOR_YOU_MB',
    '96',
    integer(0, MAX_MB),
    'Memory in MB for For You, which finds posts by people who liked what a member liked (docs/FOR-YOU.md); 0: none.',
  ),
}
