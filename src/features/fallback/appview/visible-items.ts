// Which items of a stranger's answer a viewer is shown, by our rules: each kind of answer follows the rules
// of our own method of the same name.

import { isObject, type JsonObject } from '../../../base/util/json-object.ts'
import { hiddenAs, isPostThere } from './hidden-post.ts'
import { isWithheld, type OurVerdict, ownerOf } from './our-verdict.ts'
import { visibleThread, visibleTree } from './visible-thread.ts'

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
  posts: isPostVisible,
  likes: ({ actor }, verdict) => isObject(actor) && isWelcome(actor, verdict),
  items: ({ subject }, verdict) => isObject(subject) && isThere(subject, verdict),
  actors: isWelcome,
  followers: isWelcome,
  follows: isWelcome,
  repostedBy: isWelcome,
  feeds: isCreatorThere,
  lists: isCreatorThere,
  starterPacks: isCreatorThere,
  views: isCreatorThere,
}

type Rule = (item: JsonObject, verdict: OurVerdict) => boolean

/**
 * Modifies `answer`.
 * @param field - the field of its items; undefined if the answer is a single object
 * @returns whether there is still something to answer
 */
export function filterVisible(
  nsid: string,
  answer: JsonObject,
  { field, verdict }: { field: string | undefined; verdict: OurVerdict },
): boolean {
  if (field === 'thread') {
    return visibleThread(answer, { verdict, includesMuted: nsid.endsWith('OtherV2') })
  }
  if ('thread' in answer) return visibleTree(answer, verdict)
  for (const item of Object.values(answer)) {
    if (isObject(item) && isObject(item['creator']) && !isCreatorThere(item, verdict)) return false
    if (isObject(item) && typeof item['did'] === 'string' && !isThere(item, verdict)) return false
  }
  if (field === undefined) return !('did' in answer) || isThere(answer, verdict)
  const isVisible = byMethod[nsid] ?? byField[field]
  answer[field] = (answer[field] as JsonObject[]).filter(
    (item) => isVisible?.(item, verdict) ?? false,
  )
  for (const item of answer[field] as JsonObject[])
    if (isObject(item['reply'])) hideAncestors(item['reply'], verdict)
  return true
}

function isThere({ did }: JsonObject, verdict: OurVerdict): boolean {
  return !verdict.account(String(did)).isHidden
}

function isWelcome(account: JsonObject, verdict: OurVerdict): boolean {
  return isThere(account, verdict) && !verdict.account(String(account['did'])).blocks
}

function isCreatorThere(view: JsonObject, verdict: OurVerdict): boolean {
  return !verdict.account(ownerOf(view)).isHidden && !verdict.record(String(view['uri'])).isGone
}

function isCreatorWelcome(view: JsonObject, verdict: OurVerdict): boolean {
  return isCreatorThere(view, verdict) && !verdict.account(ownerOf(view)).blocks
}

function isPostVisible(post: JsonObject, verdict: OurVerdict): boolean {
  const isOpen = !verdict.account(ownerOf(post)).blocks && !isWithheld(post['author'], verdict)
  return isOpen && isPostThere(post, verdict)
}

/** The accounts involved in a feed item; undefined if the item can't be shown at all. */
function partsOf(item: JsonObject, verdict: OurVerdict) {
  const { post, reason } = item
  if (!isObject(post) || !isPostVisible(post, verdict)) return undefined
  const by = isObject(reason) && isObject(reason['by']) ? reason['by'] : undefined
  if (by && (!isWelcome(by, verdict) || isWithheld(by, verdict))) return undefined
  const author = verdict.account(ownerOf(post))
  return { post, author, by, originator: by ? verdict.account(String(by['did'])) : author }
}

/** Hides a muted author's posts that others reposted, but not those on the author's own page. */
function isInAuthorFeed(item: JsonObject, verdict: OurVerdict): boolean {
  const parts = partsOf(item, verdict)
  return parts !== undefined && (!parts.author.mutes || parts.originator.mutes)
}

/** The rules of a timeline. */
function isInFeed(item: JsonObject, verdict: OurVerdict): boolean {
  const parts = partsOf(item, verdict)
  if (!parts) return false
  const { author, originator, by, post } = parts
  if (author.mutes || originator.mutes || (by && originator.mutesReposts)) return false
  if (author.mutesQuotePosts && isQuote(post)) return false
  return !ancestorsOf(item).some((did) => verdict.account(did).blocks)
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
function hideAncestors(reply: JsonObject, verdict: OurVerdict): void {
  for (const name of ['root', 'parent']) {
    const post = reply[name]
    if (isObject(post) && isObject(post['record'])) reply[name] = hiddenAs(post, verdict) ?? post
  }
  const { parent, grandparentAuthor } = reply
  const isVisible = isObject(parent) && isObject(parent['record'])
  const isKnown = isObject(grandparentAuthor) && isThere(grandparentAuthor, verdict)
  if (!isVisible || !isKnown) delete reply['grandparentAuthor']
}
