// The settings of moderation tags: words that moderators attach to accounts and posts, and the effect of
// each. They are the operator's choice; Ozone has its own tags, which these can be set to match.

import { list, Unfit } from './parsers.ts'
import { setting } from './setting.ts'

type Tags = readonly string[]

const TAG = /^[^\s,]{1,128}$/

export const tagSettings = {
  searchTagsHide: setting<Tags>(
    'SEARCH_TAGS_HIDE',
    'search-hide',
    tags,
    'Moderation tags, separated by commas: search finds posts with one, and posts by accounts with one, only by author and latest first. May be empty (a comma), as may the next three.',
  ),
  searchTagsHideAll: setting<Tags>(
    'SEARCH_TAGS_HIDE_ALL',
    'search-hide-all',
    tags,
    'Moderation tags: search never finds these posts.',
  ),
  threadTagsHide: setting<Tags>(
    'THREAD_TAGS_HIDE',
    'thread-hide',
    tags,
    'Moderation tags: replies with one are hidden in threads, and replies, quotes and mentions with one notify only followers of the author.',
  ),
  threadTagsBumpDown: setting<Tags>(
    'THREAD_TAGS_BUMP_DOWN',
    'thread-bump-down',
    tags,
    'Moderation tags: replies with one are sorted last in threads.',
  ),
}

function tags(value: string): Tags {
  const words = list(value)
  if (words.every((word) => TAG.test(word))) return words
  throw new Unfit('words without spaces, of at most 128 characters, separated by commas')
}
