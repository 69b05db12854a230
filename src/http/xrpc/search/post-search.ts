// The shared part of searchPosts and searchPostsV2. Resolves the accounts named in the text or the parameters
// and turns both into one index filter, then reads the page. Leaves out posts whose author is in a block with
// the viewer, and posts that moderators' tags hide from it. As in the reference, mutes are left to the
// client.

import type { Viewer } from '../../../answers/hydrate/types.ts'
import type { PostSearchRequest } from '../../../answers/skeleton/search/posts.ts'
import type { SkeletonPage } from '../../../answers/skeleton/skeleton-page.ts'
import { andThen, type MaybeLater } from '../../../base/util/turn.ts'
import {
  matchOf,
  type Operator,
  type OperatorName,
  operatorTerm,
  type PostFilter,
  type PostQuery,
  parsePostQuery,
  parseTime,
} from '../../../data/store/search/post-query.ts'
import { term } from '../../../data/store/search/post-terms.ts'
import { allFollows } from '../accounts/followed-accounts.ts'
import type { AppContext } from '../app-context.ts'
import type { Call } from '../call.ts'
import type { Needs } from '../define.ts'
import type { NamedActor } from '../naming/actor-names.ts'
import type { PagePart } from '../paging/paged-method.ts'

/**
 * Conditions by kind: a post must match at least one of each included kind, and none of the
 * excluded ones.
 */
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
  since?: string
  until?: string
  included: Lists
  excluded: Lists
  /** Further terms, all required (data/store/search/post-terms.ts); an empty string matches no post. */
  terms: string[]
  notTerms: string[]
  /** Only posts by accounts that the viewer follows. */
  following?: boolean
}

/** The index request; undefined if nothing can match. */
type PostSearch = Omit<PostSearchRequest, 'limit' | 'cursor'>

type Found = { app: AppContext; about: PostSearch | undefined; call: Call<never> }

export function foundPosts(
  { search }: Needs<'search'>,
  { about, range, call }: PagePart<Pick<Call, 'who' | 'time'>, PostSearch | undefined>,
): MaybeLater<SkeletonPage<number>> {
  if (!about) return { items: [], cursor: undefined }
  return search.posts({ ...about, ...range }, call)
}

/** The first page carries the number of hits. */
export function postsBody(
  posts: readonly object[],
  { app, about, call, cursor }: Found & { cursor: string | undefined },
): MaybeLater<object> {
  const { cursor: requested } = (call as Call<{ cursor?: string }>).params
  if (!about || requested !== undefined) return { posts, cursor }
  if (cursor === undefined) return { posts, cursor, hitsTotal: posts.length }
  const { match, since, until, authors } = about
  // Hits by some authors can't be counted without reading them.
  if (authors) return { posts, cursor }
  const counted = app.search.hits({ match, since, until }, call)
  return andThen(counted, (hitsTotal) => ({ posts, cursor, hitsTotal }))
}

export type SearchContext = Needs<'actors' | 'graph' | 'names'>
type NamedContext = Needs<'actors' | 'graph'> & {
  names: { find(actor: string): MaybeLater<NamedActor | undefined> }
}
type TagContext = Needs<'tagRules'>

/** Leaves out posts that moderators' tags hide from the caller. */
export async function presentedPostSearch(
  app: SearchContext & TagContext,
  call: Pick<Call, 'reader' | 'who' | 'time'>,
  params: PostSearchParams,
): Promise<PostSearch | undefined> {
  const { viewer, seesTakenDown } = call.reader
  const names = { find: (actor: string) => app.names.find(actor, call) }
  const search = await postSearch({ ...app, names }, viewer, params)
  if (!search || seesTakenDown) return search
  return { ...search, leftOut: { tags: tagsLeftOut(app, params), except: viewer?.uid ?? 0 } }
}

export async function postSearch(
  app: NamedContext,
  viewer: Viewer,
  params: PostSearchParams,
): Promise<PostSearch | undefined> {
  const { sort, following } = params
  const query = parsePostQuery(params.query)
  const match = matchOf(query, await toFilter(app, viewer, query, params))
  const isEmpty = !hasAny(query) && !hasConditions(params)
  if (match === undefined || isEmpty || (following && !viewer)) return undefined
  const authors = following && viewer ? allFollows(app.graph, viewer.uid) : undefined
  return { match, sort, authors, ...timesOf(query, params) }
}

/** As in the reference: a search by author shows everything, unless it sorts by best match. */
function tagsLeftOut(
  { tagRules: { searchTagsHide, searchTagsHideAll } }: TagContext,
  { query, sort, included }: PostSearchParams,
): readonly string[] {
  const { operators } = parsePostQuery(query)
  const isStated = operators.some(({ name, isExcluded }) => name === 'from' && !isExcluded)
  const isOfAuthor = isStated || (included.authors?.length ?? 0) > 0
  if (sort === 'latest' && isOfAuthor) return searchTagsHideAll
  return [...searchTagsHide, ...searchTagsHideAll]
}

/** The account whose posts alone are searched, by handle or DID; undefined unless it is one. */
export function onlyAuthor({ query, included }: PostSearchParams): string | undefined {
  const stated = parsePostQuery(query).operators.filter(
    ({ name, isExcluded }) => name === 'from' && !isExcluded,
  )
  const authors = stated.length > 0 ? stated.map(({ value }) => value) : (included.authors ?? [])
  return authors.length === 1 && authors[0] !== 'me' ? authors[0] : undefined
}

/** Whether there is any condition besides the text. */
export function hasConditions({ included, excluded, terms, following }: PostSearchParams): boolean {
  const lists = [...Object.values(included), ...Object.values(excluded)]
  return terms.length > 0 || following === true || lists.some((list) => list && list.length > 0)
}

function hasAny({ phrases, excluded, operators }: PostQuery): boolean {
  return phrases.length + excluded.length + operators.length > 0
}

/** Times in the text take precedence over the parameters. */
function timesOf(
  { operators }: PostQuery,
  params: PostSearchParams,
): Pick<PostSearchRequest, 'since' | 'until'> {
  const stated = (name: OperatorName) =>
    operators.findLast((operator) => operator.name === name && !operator.isExcluded)?.value
  return {
    since: parseTime(stated('since')) ?? parseTime(params.since) ?? -Infinity,
    until: parseTime(stated('until')) ?? parseTime(params.until) ?? Infinity,
  }
}

/** Operators of which one match is enough; for all others, every one given must match. */
const ALTERNATIVES = new Set<OperatorName>(['from', 'lang', 'domain'])

async function toFilter(
  app: NamedContext,
  viewer: Viewer,
  query: PostQuery,
  params: PostSearchParams,
): Promise<PostFilter> {
  const { operators } = query
  const included = { ...params.included }
  // As in the reference: an author named in the text overrides the parameter.
  if (operators.some(({ name, isExcluded }) => name === 'from' && !isExcluded)) {
    delete included.authors
  }
  const stated = await termsOfOperators(app, viewer, operators)
  const groups = await groupsOf(app, viewer, included)
  const none = (await groupsOf(app, viewer, params.excluded)).flat()
  return {
    groups: [
      ...stated.groups,
      ...groups,
      ...params.terms.map((term) => (term === '' ? [] : [term])),
    ],
    none: [...stated.none, ...none, ...params.notTerms],
  }
}

async function termsOfOperators(
  app: NamedContext,
  viewer: Viewer,
  operators: readonly Operator[],
): Promise<PostFilter> {
  const filter: PostFilter = { groups: [], none: [] }
  const alternatives = new Map<OperatorName, string[]>()
  const conditions = operators.filter(({ name }) => name !== 'since' && name !== 'until')
  const found = await Promise.all(conditions.map((condition) => termsOf(app, viewer, condition)))
  for (const [i, { name, isExcluded }] of conditions.entries()) {
    const terms = found[i]!
    if (isExcluded) filter.none.push(...terms)
    // An unreadable value matches nothing, rather than everything.
    else if (!ALTERNATIVES.has(name)) filter.groups.push(terms)
    else alternatives.set(name, [...(alternatives.get(name) ?? []), ...terms])
  }
  filter.groups.push(...alternatives.values())
  return filter
}

/** Most values of one kind of condition: each costs a walk through its list of posts. */
export const MAX_NAMED = 25

const KINDS: Record<Exclude<keyof Lists, 'embeddedAtUris'>, OperatorName> = {
  authors: 'from',
  mentions: 'mentions',
  domains: 'domain',
  urls: 'url',
  hashtags: 'tag',
  languages: 'lang',
}

async function groupsOf(app: NamedContext, viewer: Viewer, lists: Lists): Promise<string[][]> {
  const groups: string[][] = []
  for (const [list, name] of Object.entries(KINDS)) {
    const values = lists[list as keyof typeof KINDS]?.slice(0, MAX_NAMED) ?? []
    if (values.length === 0) continue
    const terms = values.map((value) => termsOf(app, viewer, { name, value }))
    groups.push((await Promise.all(terms)).flat())
  }
  const embedded = lists.embeddedAtUris?.slice(0, MAX_NAMED) ?? []
  if (embedded.length > 0) groups.push(embedded.map(term.embedded))
  return groups
}

/** @returns no terms for an unknown account or a value that no post can have */
async function termsOf(
  { actors, names }: NamedContext,
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
