// Requests to /v1: timelines of every kind alone, all sixteen of a merge, streams that are left at once, and
// what programs may write.

import { crowd } from './acts.ts'
import { CUSTOM_TIMELINES, GRAPH } from './programs-rows.ts'
import type { Request } from './requests.ts'
import { type Cast, COLLECTOR, MEMBER, PROLIFIC, WHALE } from './worst-rows.ts'

const program = { token: 'program' as const }
const MOST_MERGED = 16
const KINDS = ['following', 'author', 'notifications', 'likes', 'follows']
const OF = [MEMBER, WHALE, PROLIFIC, COLLECTOR]
const PAYLOAD = 16_000
const DEEP = 2_000

export function timelineRequests({ lists, ownLists }: Cast): Request[] {
  const ofPrograms = CUSTOM_TIMELINES.map((name) => `custom:${name}`)
  const ofLists = lists.map((uri) => `list:${uri}`)
  const ofAccounts = KINDS.flatMap((kind) => OF.map((did) => `${kind}:${did}`))
  const own = ownLists.map((uri) => `list:${uri}`)
  const merges = [ofLists, ofAccounts, ofPrograms, own, [...ofPrograms, ...ofAccounts, ...ofLists]]
  const keys = [...ofLists, ...ofAccounts, ...ofPrograms.slice(0, 1), ...merges.map(merged)]
  return [
    ...keys.flatMap((key) => [
      events(key, program),
      { ...events(key, program), path: `${path(key)}/events?limit=100&direction=forward` },
      ...streams(key, program),
    ]),
    ...[...own, merged(own), `following:${MEMBER}`, `notifications:${MEMBER}`].flatMap((key) => [
      events(key, { viewer: MEMBER }),
      ...streams(key, { viewer: MEMBER }),
    ]),
    ...posts(),
  ]
}

function merged(keys: readonly string[]): string {
  return keys.slice(0, MOST_MERGED).join('+')
}

function path(key: string): string {
  return `/v1/timelines/${encodeURIComponent(key)}`
}

type By = Pick<Request, 'token' | 'viewer'>

function events(key: string, by: By): Request {
  return { method: '/v1/timelines', ...by, isPaged: true, path: `${path(key)}/events?limit=100` }
}

function streams(key: string, by: By): Request[] {
  return ['', '?since=1'].map((query) => ({
    method: '/v1/timelines/stream',
    ...by,
    isEndless: true,
    path: `${path(key)}/stream${key.includes('+') ? '' : query}`,
  }))
}

function posts(): Request[] {
  const payloads = {
    long: 'w'.repeat(PAYLOAD),
    wide: Array.from({ length: PAYLOAD / 4 }, (_, i) => i % 10),
    keys: Object.fromEntries(Array.from({ length: PAYLOAD / 16 }, (_, i) => [`key ${i}`, i])),
    deep: '['.repeat(DEEP) + ']'.repeat(DEEP),
  }
  return Object.values(payloads).map((payload) => ({
    method: '/v1/timelines/post',
    ...program,
    path: `${path(`custom:${CUSTOM_TIMELINES[0]}`)}/events`,
    verb: 'POST' as const,
    body: { entity_id: 'é'.repeat(1_024), entity_type: 'post', payload, producer_ts: Date.now() },
  }))
}

/** The network's graph and one that a program keeps. */
export function graphRequests(actors: readonly string[]): Request[] {
  return ['/v1/graph', `/v1/graphs/${GRAPH}`].flatMap((at) => readsOf(at, actors))
}

function readsOf(at: string, actors: readonly string[]): Request[] {
  const of = (name: string, rest: Omit<Request, 'method'>): Request => ({
    method: `${at}/${name}`,
    ...program,
    ...rest,
  })
  const lines = { accept: 'application/x-ndjson' }
  const counted = Array.from({ length: 100 }, (_, i) => `actor=${crowd(i)}`)
  const sets = actors.slice(0, 8).map((did) => `set=follows:${did}`)
  const lists = actors.flatMap((did) =>
    ['follows', 'followers'].map((side) =>
      of(side, { isPaged: true, path: `${at}/${side}?limit=1000&actor=${did}` }),
    ),
  )
  return [
    ...lists,
    ...lists.slice(0, 6).map((list) => ({ ...list, isPaged: false, headers: lines })),
    of('adjacency', { path: `${at}/adjacency`, headers: lines }),
    ...[`set=follows:${WHALE}&set=followers:${WHALE}`, sets.join('&')].map((query) =>
      of('intersection', { isPaged: true, path: `${at}/intersection?limit=1000&${query}` }),
    ),
    of('counts', { path: `${at}/counts?${counted.join('&')}` }),
    of('contains', {
      path: `${at}/contains`,
      verb: 'POST',
      body: { pairs: Array.from({ length: 500 }, (_, i) => [WHALE, crowd(i)]) },
    }),
  ]
}
