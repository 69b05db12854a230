// The search terms of a post: its words in order, then terms that no text can contain, since they begin with
// a colon: author, tags, mentions, links, languages, embeds and reply targets. So every filter of a search is
// one more word to match.

import { asArray, asObject } from '../../../base/util/json-object.ts'
import { charactersOf, fold, withoutEnding, wordsOf } from './words.ts'

/** For the text; the limit below is for image descriptions. */
const MAX_TEXT_LENGTH = 3_000
const MAX_ALT_LENGTH = 1_000
const MAX_OF_A_KIND = 30
/** Longer addresses and ids can't be searched: they are never typed. */
const MAX_URL_LENGTH = 2_048
/** As in the lexicon; the limit for languages is above any real one. */
const MAX_TAG_LENGTH = 640
const MAX_LANG_LENGTH = 100

type SearchedPost = {
  uid: number
  /** posts.id */
  root: number | null
  parent: number | null
  record: Record<string, unknown>
}

export const term = {
  author: (uid: number) => `:u${uid.toString(36)}`,
  mention: (did: string) => `:m${hash(did)}`,
  tag: (tag: string) => `:t${hash(fold(tag.slice(0, MAX_TAG_LENGTH)))}`,
  domain: (host: string) => `:d${hash(host)}`,
  url: (normal: string) => `:r${hash(normal)}`,
  embedded: (uri: string) => `:e${hash(uri)}`,
  lang: (lang: string) => `:l${hash(lang.slice(0, MAX_LANG_LENGTH).toLowerCase())}`,
  parent: (id: number) => `:p${id.toString(36)}`,
  root: (id: number) => `:h${id.toString(36)}`,
  character: (character: string) => `:c${character}`,
  /** A term of every post. */
  any: ':x',
  media: ':xm',
  video: ':xv',
  reply: ':xr',
} as const

/** Words and terms, separated by spaces. */
export function postTerms({ uid, root, parent, record }: SearchedPost): string {
  const text = textOf(record['text'], MAX_TEXT_LENGTH)
  const { alts, urls, uris, hasMedia, hasVideo } = embedsOf(record['embed'])
  const words = [text, ...alts].flatMap(wordsOf)
  const { tags, mentions, links } = facetsOf(record)
  const addresses = [...links, ...urls].flatMap((url) => normalUrl(url) ?? [])
  const terms = [
    term.any,
    term.author(uid),
    ...charactersOf(text).map(term.character),
    ...tags.map(term.tag),
    ...mentions.map(term.mention),
    ...addresses.map(({ normal }) => term.url(normal)),
    ...addresses.flatMap(({ host }) => domainsOf(host)).map(term.domain),
    ...uris.map(term.embedded),
    ...langsOf(record['langs']).map(term.lang),
    ...(hasMedia ? [term.media] : []),
    ...(hasVideo ? [term.video] : []),
    ...(asObject(record['reply']) ? [term.reply] : []),
    ...(parent === null ? [] : [term.parent(parent)]),
    ...(root === null ? [] : [term.root(root)]),
  ]
  return [...words, ...new Set(terms)].join(' ')
}

/** Words and terms, separated by spaces, as the index holds them in one of its stretches of time. */
export function termsIn(stretch: number, terms: string): string {
  const before = `${stretch.toString(36)}:`
  return before + terms.replaceAll(' ', ` ${before}`)
}

type NormalUrl = { host: string; normal: string }

/** Drops scheme, `www.`, fragment and trailing slash; undefined if the text is not a URL. */
export function normalUrl(text: string): NormalUrl | undefined {
  if (text.length > MAX_URL_LENGTH) return undefined
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) return undefined
  const host = normalDomain(url.host)
  return { host, normal: `${host}${withoutEnding(url.pathname, /\//)}${url.search}` }
}

export function normalDomain(domain: string): string {
  return domain
    .slice(0, MAX_URL_LENGTH)
    .trim()
    .toLowerCase()
    .replace(/^www\./, '')
}

/** A host is also found by its parent domains, but not by `com`. */
function domainsOf(host: string): string[] {
  const labels = host.split('.')
  const count = Math.min(Math.max(labels.length - 1, 1), 4)
  return Array.from({ length: count }, (_, i) => labels.slice(i).join('.'))
}

function langsOf(langs: unknown): string[] {
  return fewOf(langs).flatMap((lang) => {
    if (typeof lang !== 'string' || lang.length > MAX_LANG_LENGTH) return []
    return [...new Set([lang.toLowerCase(), lang.toLowerCase().split('-', 1)[0]!])]
  })
}

function facetsOf(record: Record<string, unknown>) {
  const features = fewOf(record['facets'])
    .flatMap((facet) => fewOf(asObject(facet)?.['features']))
    .map(asObject)
  const strings = (type: string, name: string) =>
    features
      .filter((feature) => feature?.['$type'] === `app.bsky.richtext.facet#${type}`)
      .map((feature) => feature?.[name])
      .filter(isShort)
  const ownTags = fewOf(record['tags']).filter(isShort)
  return {
    tags: [...strings('tag', 'tag'), ...ownTags],
    mentions: strings('mention', 'did'),
    links: strings('link', 'uri'),
  }
}

type Embeds = {
  alts: string[]
  urls: string[]
  uris: string[]
  hasMedia: boolean
  hasVideo: boolean
}

function embedsOf(embed: unknown): Embeds {
  const outer = asObject(embed)
  const media = asObject(outer?.['media']) ?? outer
  const type = String(media?.['$type'] ?? '')
  const images = [...fewOf(media?.['images']), ...fewOf(media?.['items'])].map(asObject)
  const record = asObject(outer?.['record'])
  const uri = record?.['uri'] ?? asObject(record?.['record'])?.['uri']
  const url = asObject(media?.['external'])?.['uri']
  const hasVideo = type === 'app.bsky.embed.video'
  return {
    alts: [media?.['alt'], ...images.map((image) => image?.['alt'])]
      .map((alt) => textOf(alt, MAX_ALT_LENGTH))
      .filter((alt) => alt !== ''),
    urls: isShort(url) ? [url] : [],
    uris: isShort(uri) ? [uri] : [],
    hasMedia: hasVideo || images.length > 0,
    hasVideo,
  }
}

/** A 53-bit hash of a text, used for terms only: cyrb53, public domain. */
function hash(text: string): string {
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    high = Math.imul(high ^ code, 2654435761)
    low = Math.imul(low ^ code, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36)
}

function textOf(value: unknown, maxLength: number): string {
  return typeof value === 'string' ? value.slice(0, maxLength) : ''
}

function isShort(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_URL_LENGTH
}

function fewOf(value: unknown): unknown[] {
  return asArray(value).slice(0, MAX_OF_A_KIND)
}
