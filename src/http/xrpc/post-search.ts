// What searchPosts and searchPostsV2 have in common: the text and the parameters become one filter of
// the index, whoever is named in either being looked up first; the page is read, and posts in a block
// with the viewer are left out. Mutes are the client's business, as in the reference.

import type { Viewer } from '../../answers/hydrate/types.ts'
import { isRetiredCursor } from '../../answers/skeleton/page-cursor.ts'
import type { PostSearchRequest } from '../../answers/skeleton/search/posts.ts'
import { type ReadyJson, readyArray } from '../../answers/views/ready-json.ts'
import { parseRecordUri } from '../../base/atproto/at-uri.ts'
import {
  matchOf,
  type Operator,
  type OperatorName,
  operatorTerm,
  type PostFilter,
  type PostQuery,
  parsePostQuery,
  parseTime,
} from '../../data/search/post-query.ts'
import { term } from '../../data/search/post-terms.ts'
import type { AppContext } from './app-context.ts'
import { fillPage } from './fill-page.ts'

/** By kind; of each kind one at least, and none of the excluded. */
type Lists = {
  authors?: string[]
  mentions?: string[]
  domains?: string[]
  urls?: string[]
  hashtags?: string[]
  languages?: string[]
  embeddedAtUris?: string[]
}

export type PostSearchParams = {
  query: string
  sort: PostSearchRequest['sort']
  limit: number
  cursor?: string
  since?: string
  until?: string
  included: Lists
  excluded: Lists
  /** Further terms, all of them (data/search/post-terms.ts); an empty string is of no post. */
  terms: string[]
  notTerms: string[]
  /** Only those whom the viewer follows. */
  following?: boolean
}

export type PostSearchAnswer = { posts: ReadyJson; cursor?: string; hitsTotal?: number }

/** Of one kind of condition, so many: each costs a walk through its list of posts. */
export const MAX_NAMED = 25
const NOTHING: PostSearchAnswer = { posts: readyArray([]) }

/** @throws BadCursorError */
export async function answerPostSearch(
  serving: AppContext,
  viewer: Viewer,
  params: PostSearchParams,
): Promise<PostSearchAnswer> {
  if (isRetiredCursor(params.cursor)) return NOTHING
  const query = parsePostQuery(params.query)
  const match = matchOf(query, await toFilter(serving, viewer, query, params))
  const isEmpty = !hasAny(query) && !hasConditions(params)
  if (match === undefined || isEmpty || (params.following && !viewer)) return NOTHING
  return read(serving, viewer, { ...params, ...timesOf(query, params), match })
}

/** Whether anything is asked for besides the text. */
export function hasConditions({ included, excluded, terms, following }: PostSearchParams): boolean {
  const lists = [...Object.values(included), ...Object.values(excluded)]
  return terms.length > 0 || following === true || lists.some((list) => list && list.length > 0)
}

function hasAny({ phrases, excluded, operators }: PostQuery): boolean {
  return phrases.length + excluded.length + operators.length > 0
}

function read(
  { actors, viewCache, graph, searchPosts }: AppContext,
  viewer: Viewer,
  params: Omit<PostSearchParams, 'since' | 'until'> &
    Pick<PostSearchRequest, 'match' | 'since' | 'until'>,
): PostSearchAnswer {
  const { match, since, until, sort, limit, cursor } = params
  const uid = viewer ? actors.uidOf(viewer.did) : 0
  const fits = params.following ? (author: number) => graph.has(uid, author) : undefined
  const page = fillPage({ limit, cursor }, (from, count) => {
    const request = { match, since, until, sort, fits, limit: count, cursor: from }
    const { ids, cursor: next, isCut } = searchPosts.page(request)
    const posts = viewCache.posts(ids, viewer)
    return { items: posts.filter((text) => text !== undefined), cursor: next, isCut }
  })
  const body = { posts: readyArray(page.items), cursor: page.cursor }
  if (cursor !== undefined) return body
  if (page.cursor === undefined) return { ...body, hitsTotal: page.items.length }
  // A condition that the index does not know can't be counted.
  return fits ? body : { ...body, hitsTotal: searchPosts.count({ match, since, until }) }
}

/** The text's own times count before the parameters'. */
function timesOf(
  { operators }: PostQuery,
  params: PostSearchParams,
): Pick<PostSearchRequest, 'since' | 'until'> {
  const said = (name: OperatorName) =>
    operators.findLast((one) => one.name === name && !one.isExcluded)?.value
  return {
    since: parseTime(said('since')) ?? parseTime(params.since) ?? -Infinity,
    until: parseTime(said('until')) ?? parseTime(params.until) ?? Infinity,
  }
}

/** Of which one is enough; of other operators, all that were said have to fit. */
const ALTERNATIVES = new Set<OperatorName>(['from', 'lang', 'domain'])

async function toFilter(
  serving: AppContext,
  viewer: Viewer,
  query: PostQuery,
  params: PostSearchParams,
): Promise<PostFilter> {
  const { operators } = query
  const included = { ...params.included }
  // As in the reference: whom the text names counts before the parameter.
  if (operators.some(({ name, isExcluded }) => name === 'from' && !isExcluded)) {
    delete included.authors
  }
  const said = await termsOfOperators(serving, viewer, operators)
  const groups = await groupsOf(serving, viewer, included)
  const none = (await groupsOf(serving, viewer, params.excluded)).flat()
  return {
    groups: [...said.groups, ...groups, ...params.terms.map((one) => (one === '' ? [] : [one]))],
    none: [...said.none, ...none, ...params.notTerms],
  }
}

async function termsOfOperators(
  serving: AppContext,
  viewer: Viewer,
  operators: readonly Operator[],
): Promise<PostFilter> {
  const filter: PostFilter = { groups: [], none: [] }
  const alternatives = new Map<OperatorName, string[]>()
  const conditions = operators.filter(({ name }) => name !== 'since' && name !== 'until')
  const found = await Promise.all(conditions.map((one) => termsOf(serving, viewer, one)))
  for (const [i, { name, isExcluded }] of conditions.entries()) {
    const terms = found[i]!
    if (isExcluded) filter.none.push(...terms)
    // What can't be read fits nothing, rather than everything.
    else if (!ALTERNATIVES.has(name)) filter.groups.push(terms)
    else alternatives.set(name, [...(alternatives.get(name) ?? []), ...terms])
  }
  filter.groups.push(...alternatives.values())
  return filter
}

const KINDS: Record<Exclude<keyof Lists, 'embeddedAtUris'>, OperatorName> = {
  authors: 'from',
  mentions: 'mentions',
  domains: 'domain',
  urls: 'url',
  hashtags: 'tag',
  languages: 'lang',
}

async function groupsOf(serving: AppContext, viewer: Viewer, lists: Lists): Promise<string[][]> {
  const groups: string[][] = []
  for (const [list, name] of Object.entries(KINDS)) {
    const values = lists[list as keyof typeof KINDS]?.slice(0, MAX_NAMED) ?? []
    if (values.length === 0) continue
    const terms = values.map((value) => termsOf(serving, viewer, { name, value }))
    groups.push((await Promise.all(terms)).flat())
  }
  const embedded = lists.embeddedAtUris?.slice(0, MAX_NAMED) ?? []
  if (embedded.length > 0) groups.push(embedded.map(term.embedded))
  return groups
}

/** @returns none where it is nobody, or nothing that a post could have. */
async function termsOf(
  { actors, names }: AppContext,
  viewer: Viewer,
  { name, value }: Pick<Operator, 'name' | 'value'>,
): Promise<string[]> {
  if (name !== 'from' && name !== 'mentions') {
    const found = operatorTerm({ name, value })
    return found === undefined ? [] : [found]
  }
  const did = value === 'me' ? viewer?.did : (await names.find(value))?.did
  if (did === undefined) return []
  if (name === 'mentions') return [term.mention(did)]
  const uid = actors.uidOf(did)
  return uid === 0 ? [] : [term.author(uid)]
}

const POST = 'app.bsky.feed.post'

/** posts.id of an at-URI; 0 where there is none. */
export function postIdOf({ actors, records }: AppContext, uri: string): number {
  const key = parseRecordUri(uri)
  const uid = key?.collection === POST ? actors.uidOf(key.did) : 0
  return uid === 0 ? 0 : records.postIdOf(uid, key!.rkey)
}
