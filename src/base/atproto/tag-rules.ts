// What moderators' tags do, by the settings of the same names (base/config/moderation-tags.ts).

type Tags = readonly string[]

export type TagRules = {
  readonly searchTagsHide: Tags
  readonly searchTagsHideAll: Tags
  readonly threadTagsHide: Tags
  readonly threadTagsBumpDown: Tags
}

/** The default: no tag has an effect. */
export const NO_TAG_RULES: TagRules = {
  searchTagsHide: [],
  searchTagsHideAll: [],
  threadTagsHide: [],
  threadTagsBumpDown: [],
}

/** All tags with an effect. */
export function knownTags(rules: TagRules): string[] {
  const { searchTagsHide, searchTagsHideAll, threadTagsHide, threadTagsBumpDown } = rules
  return [
    ...new Set([...searchTagsHide, ...searchTagsHideAll, ...threadTagsHide, ...threadTagsBumpDown]),
  ]
}
