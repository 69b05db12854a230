// Which items of a stranger's answer a viewer is shown, by our rules: each kind of answer follows the rules
// of our own method of the same name.

import { isObject, type JsonObject } from '../../../base/util/json-object.ts'
import { hiddenAs, isPostThere } from './hidden-post.ts'
import { isWithheld, type OurWord, ownerOf } from './our-word.ts'
import { shownThread, shownTree } from './shown-thread.ts'

/** Rules of single methods; all others go by the field that holds the items. */
const byMethod: Record<string, Rule> = {
  'app.bsky.feed.getAuthorFeed': isInAuthorFeed,
  'app.bsky.actor.getProfiles': isThere,
  'app.bsky.feed.getActorFeeds': isCreatorThere,
  'app.bsky.graph.getLists': isCreatorThere,
  'app.bsky.graph.searchStarterPacks': isCreatorWelcome,
  'app.bsky.graph.searchStarterPacksV2': isCreatorWelcome,
}

const byField: Record<string, Rule> = {
  feed: isInFeed,
  posts: isPostShown,
  likes: ({ actor }, word) => isObject(actor) && isWelcome(actor, word),
  items: ({ subject }, word) => isObject(subject) && isThere(subject, word),
  actors: isWelcome,
  followers: isWelcome,
  follows: isWelcome,
  repostedBy: isWelcome,
  feeds: isCreatorThere,
  lists: isCreatorThere,
  starterPacks: isCreatorThere,
  views: isCreatorThere,
}

type Rule = (item: JsonObject, word: OurWord) => boolean

/**
 * Modifies `answer`.
 * @param field - the field of its items; undefined if the answer is a single object
 * @returns whether there is still something to answer
 */
export function keepShown(
  nsid: string,
  answer: JsonObject,
  { field, word }: { field: string | undefined; word: OurWord },
): boolean {
  if (field === 'thread') {
    return shownThread(answer, { word, keepsMuted: nsid.endsWith('OtherV2') })
  }
  if ('thread' in answer) return shownTree(answer, word)
  for (const one of Object.values(answer)) {
    if (isObject(one) && isObject(one['creator']) && !isCreatorThere(one, word)) return false
    if (isObject(one) && typeof one['did'] === 'string' && !isThere(one, word)) return false
  }
  if (field === undefined) return !('did' in answer) || isThere(answer, word)
  const isShown = byMethod[nsid] ?? byField[field]
  answer[field] = (answer[field] as JsonObject[]).filter((item) => isShown?.(item, word) ?? false)
  for (const item of answer[field] as JsonObject[])
    if (isObject(item['reply'])) hideAncestors(item['reply'], word)
  return true
}

function isThere({ did }: JsonObject, word: OurWord): boolean {
  return !word.account(String(did)).isHidden
}

function isWelcome(account: JsonObject, word: OurWord): boolean {
  return isThere(account, word) && !word.account(String(account['did'])).blocks
}

function isCreatorThere(view: JsonObject, word: OurWord): boolean {
  return !word.account(ownerOf(view)).isHidden && !word.record(String(view['uri'])).isGone
}

function isCreatorWelcome(view: JsonObject, word: OurWord): boolean {
  return isCreatorThere(view, word) && !word.account(ownerOf(view)).blocks
}

function isPostShown(post: JsonObject, word: OurWord): boolean {
  const isOpen = !word.account(ownerOf(post)).blocks && !isWithheld(post['author'], word)
  return isOpen && isPostThere(post, word)
}

/** The accounts involved in a feed item; undefined if the item can't be shown at all. */
function partsOf(item: JsonObject, word: OurWord) {
  const { post, reason } = item
  if (!isObject(post) || !isPostShown(post, word)) return undefined
  const by = isObject(reason) && isObject(reason['by']) ? reason['by'] : undefined
  if (by && (!isWelcome(by, word) || isWithheld(by, word))) return undefined
  const author = word.account(ownerOf(post))
  return { post, author, by, originator: by ? word.account(String(by['did'])) : author }
}

/** Hides a muted author's posts that others reposted, but not those on the author's own page. */
function isInAuthorFeed(item: JsonObject, word: OurWord): boolean {
  const parts = partsOf(item, word)
  return parts !== undefined && (!parts.author.mutes || parts.originator.mutes)
}

/** The rules of a timeline. */
function isInFeed(item: JsonObject, word: OurWord): boolean {
  const parts = partsOf(item, word)
  if (!parts) return false
  const { author, originator, by, post } = parts
  if (author.mutes || originator.mutes || (by && originator.mutesReposts)) return false
  if (author.mutesQuotePosts && isQuote(post)) return false
  return !ancestorsOf(item).some((did) => word.account(did).blocks)
}

function ancestorsOf({ reply }: JsonObject): string[] {
  if (!isObject(reply)) return []
  const grandparent = reply['grandparentAuthor']
  const parent = isObject(reply['parent']) ? [ownerOf(reply['parent'])] : []
  return [...parent, ...(isObject(grandparent) ? [String(grandparent['did'])] : [])]
}

function isQuote({ embed }: JsonObject): boolean {
  const wrapped = isObject(embed) ? embed['record'] : undefined
  const record = isObject(wrapped) && isObject(wrapped['record']) ? wrapped['record'] : wrapped
  return isObject(record) && String(record['uri']).includes('/app.bsky.feed.post/')
}

/**
 * Hides parent and root from a viewer who may not see them, and the author that a hidden parent
 * replied to.
 */
function hideAncestors(reply: JsonObject, word: OurWord): void {
  for (const name of ['root', 'parent']) {
    const post = reply[name]
    if (isObject(post) && isObject(post['record'])) reply[name] = hiddenAs(post, word) ?? post
  }
  const { parent, grandparentAuthor } = reply
  const isShown = isObject(parent) && isObject(parent['record'])
  const isKnown = isObject(grandparentAuthor) && isThere(grandparentAuthor, word)
  if (!isShown || !isKnown) delete reply['grandparentAuthor']
}
