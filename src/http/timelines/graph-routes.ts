// Who follows whom, for programs: lists, counts, questions by the hundred, and what several lists have in common.
// Read from the graph in memory, by DID. Accounts that are hidden are left out of lists.
//
// Lists are in the graph's own fixed order, so a cursor is the last account of a page. An intersection goes through
// the shortest of its lists and asks the others; where that goes on for too long the page ends early.

import type { Hono } from 'hono'
import { z } from 'zod'
import type { Cursors } from '../../answers/timelines/signed-cursor.ts'
import { forbidden, invalidRequest } from '../../base/atproto/xrpc-error.ts'
import { type ActorReader, type FollowGraphReader, HIDDEN } from '../../data/graph/types.ts'
import { jsonAnswer } from '../server/answer.ts'
import { readRequestBody } from '../server/request-body.ts'
import type { Connected } from '../server/side-routes.ts'
import type { Access } from './access.ts'
import type { Respond } from './respond.ts'

type Env = { Bindings: Connected }

export type GraphParts = {
  actors: Pick<ActorReader, 'uidOf' | 'didOf' | 'flagsOf'>
  graph: FollowGraphReader
  cursors: Cursors
  access: Access
  respond: Respond
}

/** One direction of one account. */
type Side = { of: 'follows' | 'followers'; uid: number }

export const MAX_SETS = 8
export const MAX_PAIRS = 500
export const MAX_COUNTED = 100
const MAX_LIMIT = 1_000
const DEFAULT_LIMIT = 100
const MAX_EXAMINED = 50_000
const CHUNK = 1_000
const SET = /^(follows|followers):(did:.+)$/

const did = z.string().startsWith('did:').max(2_048)
export const pairsSchema = z
  .object({ pairs: z.array(z.array(did).length(2)).max(MAX_PAIRS) })
  .strict()

export function addGraphRoutes(app: Hono<Env>, parts: GraphParts): void {
  const { access, respond } = parts
  const answering = (answer: (query: URLSearchParams, body: () => Promise<unknown>) => unknown) => {
    return (c: Parameters<Respond>[0]) =>
      respond(c, async (request) => {
        const asker = await access(request)
        if (!asker.may('graph', 'read'))
          throw forbidden('This token may not read the graph', 'OutOfScope')
        const body = async () => parseJson((await readRequestBody(request)).toString())
        return jsonAnswer(await answer(new URLSearchParams(request.search), body))
      })
  }
  const list = (of: Side['of']) =>
    answering((query) => page(parts, [{ of, uid: uidOf(parts, query.get('actor')) }], query))
  app.get('/graph/follows', list('follows'))
  app.get('/graph/followers', list('followers'))
  app.get(
    '/graph/intersection',
    answering((query) => page(parts, readSets(parts, query.getAll('set')), query)),
  )
  app.get(
    '/graph/counts',
    answering((query) => counts(parts, query.getAll('actor'))),
  )
  app.post(
    '/graph/contains',
    answering(async (_, body) => contains(parts, await body())),
  )
}

/** Accounts that are in all of these. */
function page(parts: GraphParts, sides: readonly Side[], query: URLSearchParams) {
  const { actors, cursors } = parts
  const limit = readLimit(query.get('limit'))
  const name = `graph:${sides.map(({ of, uid }) => `${of}:${uid}`).join('+')}`
  const cursor = query.get('cursor')
  let after = cursor === null ? 0 : cursors.read(name, cursor).at[0]!
  const [shortest, ...others] = [...sides].sort((a, b) => sizeOf(parts, a) - sizeOf(parts, b))
  const found: string[] = []
  const chunk = new Uint32Array(CHUNK)
  for (let examined = 0; examined < MAX_EXAMINED; ) {
    const count = readSide(parts, shortest!, after, chunk)
    for (let i = 0; i < count; i++) {
      after = chunk[i]!
      const isShown = (actors.flagsOf(after) & HIDDEN) === 0
      if (!isShown || !others.every((side) => isIn(parts, side, after))) continue
      if (found.push(actors.didOf(after)) < limit) continue
      return { actors: found, next_cursor: cursors.write(name, { isForward: true, at: [after] }) }
    }
    if (count < CHUNK) return { actors: found, next_cursor: null }
    examined += count
  }
  return { actors: found, next_cursor: cursors.write(name, { isForward: true, at: [after] }) }
}

function readSide({ graph }: GraphParts, { of, uid }: Side, after: number, out: Uint32Array) {
  return of === 'follows' ? graph.follows(uid, after, out) : graph.followers(uid, after, out)
}

function sizeOf({ graph }: GraphParts, { of, uid }: Side): number {
  return of === 'follows' ? graph.followsCount(uid) : graph.followersCount(uid)
}

function isIn({ graph }: GraphParts, { of, uid }: Side, other: number): boolean {
  return of === 'follows' ? graph.has(uid, other) : graph.has(other, uid)
}

function counts(parts: GraphParts, dids: readonly string[]) {
  if (dids.length === 0 || dids.length > MAX_COUNTED) {
    throw invalidRequest(`actor: from 1 to ${MAX_COUNTED} of them`)
  }
  return {
    counts: dids.map((actor) => {
      const uid = uidOf(parts, actor)
      return {
        actor,
        follows: sizeOf(parts, { of: 'follows', uid }),
        followers: sizeOf(parts, { of: 'followers', uid }),
      }
    }),
  }
}

function contains(parts: GraphParts, body: unknown) {
  const parsed = pairsSchema.safeParse(body)
  if (!parsed.success) {
    throw invalidRequest(`pairs: up to ${MAX_PAIRS} of [did of who follows, did of whom]`)
  }
  return {
    results: parsed.data.pairs.map(([creator, subject]) =>
      parts.graph.has(uidOf(parts, creator!), uidOf(parts, subject!)),
    ),
  }
}

function readSets(parts: GraphParts, sets: readonly string[]): Side[] {
  if (sets.length < 2 || sets.length > MAX_SETS) {
    throw invalidRequest(`set: from 2 to ${MAX_SETS} of them`)
  }
  return sets.map((text) => {
    const match = SET.exec(text)
    if (!match) throw invalidRequest('set: follows:<did> or followers:<did>')
    return { of: match[1] as Side['of'], uid: uidOf(parts, match[2]!) }
  })
}

/** 0 is nobody: follows nobody, followed by nobody. */
function uidOf({ actors }: GraphParts, actor: string | null): number {
  if (!actor?.startsWith('did:')) throw invalidRequest('actor: a DID')
  return actors.uidOf(actor)
}

function readLimit(text: string | null): number {
  const limit = text === null ? DEFAULT_LIMIT : Number(text)
  if (/^\d{1,4}$/.test(text ?? '1') && limit >= 1 && limit <= MAX_LIMIT) return limit
  throw invalidRequest(`limit: a whole number from 1 to ${MAX_LIMIT}`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalidRequest('The body is no JSON')
  }
}
