// Replaces handles in a request's at-URIs by DIDs, before anything reads them: the format allows both
// (https://atproto.com/specs/at-uri-scheme), while rows, cursors and answers name records by DID. Which
// parameters and fields of the input are at-URIs is read from the method's lexicon.

import type { Lexicons, LexUserType } from '@atproto/lexicon'
import { allOf, andThen, type MaybeLater } from '../../../base/util/turn.ts'
import type { Params } from '../../server/method.ts'
import type { Needs } from '../define.ts'
import type { LookedUpFor } from '../strangers/outside-shares.ts'
import { notHereYet } from '../waiting/not-here.ts'

type Request = { params: Params; input: unknown }
type Values = Record<string, unknown>
/** Property of a lexicon's object or parameters. */
type Property = { type: string; format?: string; items?: Property }

const SCHEME = 'at://'
const DID = `${SCHEME}did:`
/** Handles that are looked up for one request; they are remembered, so that a repeated one gets further. */
const MAX_LOOKED_UP = 25

/**
 * A handle that leads to no account stays in the URI, which then names no record.
 * @throws XRPCError NotHereYet if the servers of a handle don't answer, or there are too many
 * @returns undefined if no part of the method's request is an at-URI
 */
export function namingByDid(
  { names }: Needs<'names'>,
  { lexicons, nsid }: { lexicons: Lexicons; nsid: string },
): ((request: Request, by: LookedUpFor) => MaybeLater<Request>) | undefined {
  const method = lexicons.getDefOrThrow(nsid, ['query', 'procedure'])
  const inParams = atUrisOf(paramsOf(method))
  const inInput = atUrisOf(inputOf(method))
  if (inParams.length + inInput.length === 0) return undefined
  return (request, by) => {
    const params = request.params as Values
    const input = request.input as Values
    const handles = new Set([...handlesIn(params, inParams), ...handlesIn(input, inInput)])
    if (handles.size === 0) return request
    return andThen(didsOf(names, [...handles], by), (dids) => ({
      params: withDids(params, inParams, dids),
      input: inInput.length === 0 ? input : withDids(input, inInput, dids),
    }))
  }
}

function paramsOf(method: LexUserType): Record<string, Property> {
  return ('parameters' in method && method.parameters?.properties) || {}
}

/** Only the input's own fields: drafts and preferences are stored as they were sent. */
function inputOf(method: LexUserType): Record<string, Property> {
  const schema = 'input' in method ? method.input?.schema : undefined
  return schema?.type === 'object' ? schema.properties : {}
}

function atUrisOf(properties: Record<string, Property>): string[] {
  const isAtUri = ({ format, items }: Property) => (items ?? { format }).format === 'at-uri'
  return Object.keys(properties).filter((name) => isAtUri(properties[name]!))
}

function handlesIn(values: Values, fields: readonly string[]): string[] {
  const uris = fields.flatMap((name) => values[name] ?? [])
  return uris.flatMap((uri) => splitUri(uri)?.handle ?? [])
}

/** DIDs by handle. */
function didsOf(
  { find, isRemembered }: Needs<'names'>['names'],
  handles: readonly string[],
  by: LookedUpFor,
): MaybeLater<ReadonlyMap<string, string>> {
  let looked = 0
  const found = handles.map((handle) => {
    if (!isRemembered(handle) && ++looked > MAX_LOOKED_UP) return Promise.reject(tooManyUnknown())
    return find(handle, by)
  })
  return andThen(allOf(found), (actors) => {
    const pairs = handles.map((handle, i) => [handle, actors[i]?.did] as const)
    return new Map(pairs.filter((pair): pair is [string, string] => pair[1] !== undefined))
  })
}

/**
 * The same for one at-URI, where a lexicon does not say that there is one.
 * @throws XRPCError NotHereYet if the handle's servers don't answer
 */
export function uriByDid(
  { names }: Needs<'names'>,
  uri: string,
  by: LookedUpFor,
): MaybeLater<string> {
  const parts = splitUri(uri)
  if (!parts) return uri
  return andThen(names.find(parts.handle, by), (found) =>
    found ? `${SCHEME}${found.did}${parts.path}` : uri,
  )
}

function tooManyUnknown() {
  return notHereYet(`The request has more than ${MAX_LOOKED_UP} handles unknown here`)
}

function withDids(
  values: Values,
  fields: readonly string[],
  dids: ReadonlyMap<string, string>,
): Values {
  const byDid = (uri: unknown) => {
    const parts = splitUri(uri)
    const did = parts && dids.get(parts.handle)
    return did === undefined ? uri : `${SCHEME}${did}${parts?.path}`
  }
  const given = fields.filter((name) => values[name] !== undefined)
  const changed = given.map((name) => {
    const value = values[name]
    return [name, Array.isArray(value) ? value.map(byDid) : byDid(value)]
  })
  return { ...values, ...Object.fromEntries(changed) }
}

/** Undefined for other addresses, and for those with a DID. */
function splitUri(uri: unknown): { handle: string; path: string } | undefined {
  const text = String(uri)
  if (!text.startsWith(SCHEME) || text.startsWith(DID)) return undefined
  const rest = text.slice(SCHEME.length)
  const end = rest.search(/[/?#]/)
  const handle = end < 0 ? rest : rest.slice(0, end)
  return handle === '' ? undefined : { handle, path: rest.slice(handle.length) }
}
