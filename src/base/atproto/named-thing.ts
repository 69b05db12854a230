// What people and programs name, in any form: an account or a record by handle or DID, by at-URI, or by the address
// of its page in an app (https://atproto.com/specs/at-uri-scheme; paths as in bsky.app and its kin).

import { isValidDid, isValidHandle } from '@atproto/syntax'

type NamedThing = {
  /** A DID, or a handle in lower case. */
  actor: string
  /** The record's; unset for an account. */
  record?: { collection: string; rkey: string }
  /** The address is of another page of the account, such as its followers. */
  isOtherPage?: boolean
}

/** Path segments after the account in addresses. */
const PAGES: Record<string, string> = {
  post: 'app.bsky.feed.post',
  feed: 'app.bsky.feed.generator',
  lists: 'app.bsky.graph.list',
}
const STARTER_PACK = 'app.bsky.graph.starterpack'
const PACK_PAGES = new Set(['starter-pack', 'start'])
/** Apps copy handles with marks for the direction of writing around them. */
const INVISIBLE = /[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g
const ADDRESS = /^https?:\/\//i
const HOST = /^[a-z0-9.-]+$/i
const FIRST_SEGMENTS = new Set(['profile', 'starter-pack', 'start'])

/** @returns undefined for anything else */
export function parseNamedThing(text: string): NamedThing | undefined {
  const written = text.replace(INVISIBLE, '').trim()
  if (ADDRESS.test(written)) return ofPage(written)
  if (isWithoutScheme(written)) return ofPage(`https://${written}`)
  const path = written.replace(/^at:\/\//i, '').split(/[?#]/, 1)[0]!
  const [name, collection, rkey, ...rest] = segmentsOf(path)
  const actor = actorIn(name)
  if (!actor || rest.length > 0) return undefined
  if (collection === undefined) return { actor }
  return rkey === undefined ? undefined : { actor, record: { collection, rkey } }
}

/** `bsky.app/profile/…`: a host, then what only addresses of pages begin with. */
function isWithoutScheme(text: string): boolean {
  const [host = '', first = ''] = text.split('/', 2)
  return HOST.test(host) && host.includes('.') && FIRST_SEGMENTS.has(first.toLowerCase())
}

function ofPage(address: string): NamedThing | undefined {
  if (!URL.canParse(address)) return undefined
  const [what = '', name, page, rkey] = segmentsOf(new URL(address).pathname)
  const actor = actorIn(name)
  if (!actor) return undefined
  if (PACK_PAGES.has(what) && page) {
    return { actor, record: { collection: STARTER_PACK, rkey: page } }
  }
  if (what !== 'profile') return undefined
  if (page === undefined) return { actor }
  const collection = Object.hasOwn(PAGES, page) ? PAGES[page] : undefined
  if (!collection || rkey === undefined) return { actor, isOtherPage: true }
  return { actor, record: { collection, rkey } }
}

/** Without the empty ones that slashes at the ends leave. */
function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '')
}

/** A DID may have percent signs of its own; addresses may also have it encoded. */
function actorIn(segment = ''): string | undefined {
  if (isValidDid(segment)) return segment
  const name = decoded(segment).replace(/^@/, '')
  if (isValidDid(name)) return name
  return isValidHandle(name) ? name.toLowerCase() : undefined
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return ''
  }
}
