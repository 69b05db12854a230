// Graphs that programs keep here: adding and removing follows, loading an adjacency list line by line,
// deleting a graph. A 200 means the change is committed. A load is read no faster than it is written: a batch
// of lines goes to the writer before more is read from the socket. Loads are not atomic: lines are applied in
// order and their number is recorded, so that an interrupted load can resume from there
// (features/timelines/writing/edit-graph.ts).

import type { Context, Hono } from 'hono'
import { z } from 'zod'
import { forbidden, invalidRequest, XRPCError } from '../../../base/atproto/xrpc-error.ts'
import { type Answer, jsonAnswer } from '../../../http/server/http-answer.ts'
import type { Connected, HttpRequest } from '../../../http/server/http-request.ts'
import type { TimelineWriter } from '../requests.ts'
import { ACCOUNT_NAME, ACCOUNT_NAMES, customGraph } from '../sources/graph-source.ts'
import { type CustomGraphRow, findCustomGraph } from '../store/programs/custom-graphs.ts'
import type { GraphEdit } from '../store/programs/graph-edits.ts'
import type { CustomGraphs } from '../store/read/custom-graphs.ts'
import { inQueue } from './access.ts'
import { readLoad } from './graph-load.ts'
import { addGraphRoutes, type GraphReading, MAX_PAIRS, pairList } from './graph-routes.ts'
import { once, readJson } from './request-parts.ts'

type Env = { Bindings: Connected }

export type CustomGraphContext = GraphReading & {
  graphs: CustomGraphs
  ingest: Pick<TimelineWriter, 'editGraph'>
}

const PATH = '/graphs/:graph'
export const GRAPH_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/
export const LOAD_ID = /^[A-Za-z0-9._:-]{1,64}$/

const pairs = pairList(z.string().regex(ACCOUNT_NAME)).default([])
export const editSchema = z.object({ add: pairs, remove: pairs }).strict()

export function addCustomGraphRoutes(app: Hono<Env>, context: CustomGraphContext): void {
  addGraphRoutes(app, context, {
    path: PATH,
    scopeOf: (c) => `read:${nameIn(c)}`,
    open: (c) => customGraph({ ...context, row: rowOf(context, nameIn(c)) }),
  })
  app.get(PATH, (c) => on(context, c, 'read', (graph) => describe(rowOf(context, graph))))
  app.delete(PATH, (c) => on(context, c, 'write', (graph) => remove(context, graph)))
  app.post(`${PATH}/edges`, (c) =>
    on(context, c, 'write', async (graph, request) => {
      const { add, remove } = readEdit(await readJson(request))
      return edit(context, { kind: 'edit', graph, add, remove })
    }),
  )
  app.post(`${PATH}/adjacency`, (c) =>
    on(context, c, 'write', (graph, request) => load(context, graph, request)),
  )
}

function on(
  context: CustomGraphContext,
  c: Context<Env>,
  verb: 'read' | 'write',
  answer: (graph: string, request: HttpRequest) => unknown,
): Promise<Response> {
  return context.respond(c, async (request): Promise<Answer> => {
    const asker = await context.access(request)
    const graph = nameIn(c)
    if (!asker.may('graph', `${verb}:${graph}`)) {
      throw forbidden(`This token has no scope graph:${verb}:${graph}`, 'OutOfScope')
    }
    const run = async () => jsonAnswer(await answer(graph, request))
    return inQueue(context, { asker, request }, { run })
  })
}

function nameIn(c: Context<Env>): string {
  const name = c.req.param('graph') ?? ''
  if (GRAPH_NAME.test(name)) return name
  throw invalidRequest('A graph name is up to 64 lower-case letters, digits and . _ -')
}

function rowOf({ db }: CustomGraphContext, graph: string): CustomGraphRow {
  const found = findCustomGraph(db, graph)
  if (!found) throw new XRPCError(404, 'UnknownGraph', `There is no graph ${graph}`)
  return found
}

function describe({ name, edges, load, load_lines }: CustomGraphRow) {
  return { graph: name, edges, load: load === null ? null : { id: load, lines: load_lines } }
}

async function remove(context: CustomGraphContext, graph: string) {
  const { removed } = await edit(context, { kind: 'delete', graph })
  if (removed === 0) throw new XRPCError(404, 'UnknownGraph', `There is no graph ${graph}`)
  return { deleted: true }
}

/** @throws XRPCError if the writer refuses the edit */
async function edit({ ingest }: CustomGraphContext, graphEdit: GraphEdit) {
  const outcome = await ingest.editGraph(graphEdit)
  if (!outcome.ok) throw new XRPCError(outcome.status, outcome.error, outcome.message)
  return { added: outcome.added, removed: outcome.removed }
}

function readEdit(body: unknown): { add: [string, string][]; remove: [string, string][] } {
  const parsed = editSchema.safeParse(body)
  if (parsed.success) return parsed.data as ReturnType<typeof readEdit>
  throw invalidRequest(
    `{"add": […], "remove": […]}: each up to ${MAX_PAIRS} of [follower, followed]; an account is ${ACCOUNT_NAMES}`,
  )
}

async function load(context: CustomGraphContext, graph: string, request: HttpRequest) {
  const query = new URLSearchParams(request.search)
  const id = once('load', query.getAll('load')) ?? ''
  const start = once('from', query.getAll('from')) ?? '0'
  if (!LOAD_ID.test(id)) throw invalidRequest('load: your name for this load, up to 64 letters')
  if (!/^\d{1,9}$/.test(start))
    throw invalidRequest('from: the number of its lines already applied')
  let lines = Number(start)
  let added = 0
  for await (const batch of readLoad(request, lines)) {
    const add = batch.flatMap(({ actor, follows }) =>
      follows.map((follow) => [actor, follow] as const),
    )
    const part = { id, from: lines, lines: batch.length }
    const outcome = await edit(context, { kind: 'edit', graph, add, remove: [], load: part })
    lines += batch.length
    added += outcome.added
  }
  return { load: id, lines, added }
}
