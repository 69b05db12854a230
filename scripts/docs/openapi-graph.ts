// The graph part of the OpenAPI document: the network's graph, and those that programs keep.

import { z } from 'zod'
import {
  editSchema,
  GRAPH_NAME,
  LOAD_ID,
} from '../../src/features/timelines/http/graph-edit-routes.ts'
import {
  lineSchema,
  MAX_FOLLOWS_A_LINE,
  MAX_LOAD_BYTES,
} from '../../src/features/timelines/http/graph-load.ts'
import {
  MAX_COUNTED,
  MAX_LIMIT,
  MAX_PAIRS,
  MAX_SETS,
  pairsOf,
} from '../../src/features/timelines/http/graph-routes.ts'
import { ACCOUNT_NAME } from '../../src/features/timelines/sources/graph-source.ts'
import { cursorText, DID, json, ref, responses } from './openapi-parts.ts'

export const actorsSchema = z
  .object({ actors: z.array(z.string()), next_cursor: z.string().nullable() })
  .strict()

export const countsSchema = z
  .object({
    counts: z.array(
      z.object({ actor: z.string(), follows: z.number(), followers: z.number() }).strict(),
    ),
  })
  .strict()

export const containsSchema = z.object({ results: z.array(z.boolean()) }).strict()

const count = z.number().int().min(0)

export const customGraphSchema = z
  .object({
    graph: z.string(),
    edges: count,
    load: z
      .object({ id: z.string(), lines: count })
      .strict()
      .nullable()
      .describe('The last load to write, and how many of its lines are applied.'),
  })
  .strict()

export const editedGraphSchema = z.object({ added: count, removed: count }).strict()

export const loadedSchema = z
  .object({
    load: z.string(),
    lines: count.describe('Lines applied, of the whole load.'),
    added: count.describe('Follows that this request added.'),
  })
  .strict()

export const dumpedLineSchema = lineSchema
  .extend({
    cursor: z.string().optional().describe('Continues after this line; loads ignore it.'),
  })
  .passthrough()

/** The names of accounts: in the network’s graph, and in a program's. */
export const ACCOUNTS = {
  network: { pattern: `^${DID}$`, maxLength: 2_048 },
  custom: { pattern: ACCOUNT_NAME.source },
} as const
type Account = (typeof ACCOUNTS)[keyof typeof ACCOUNTS]

const did = z.string().regex(new RegExp(ACCOUNTS.network.pattern)).max(ACCOUNTS.network.maxLength)

export const graphSchemas = {
  Actors: actorsSchema,
  Counts: countsSchema,
  Pairs: pairsOf(did),
  CustomPairs: pairsOf(z.string().regex(ACCOUNT_NAME)),
  Contains: containsSchema,
  CustomGraph: customGraphSchema,
  EditGraph: editSchema,
  EditedGraph: editedGraphSchema,
  Loaded: loadedSchema,
  AdjacencyLine: dumpedLineSchema,
  Deleted: z.object({ deleted: z.boolean() }).strict(),
}

const actor = (account: Account) => ({
  name: 'actor',
  in: 'query',
  required: true,
  description: 'A DID; in your own graph, the account’s name there.',
  schema: { type: 'string', ...account },
})

const cursor = { name: 'cursor', in: 'query', schema: cursorText }

const pageOfActors = [
  {
    name: 'limit',
    in: 'query',
    schema: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: 100 },
  },
  cursor,
]

function many(name: string, description: string, items: object, range: [number, number]) {
  const [minItems, maxItems] = range
  const schema = { type: 'array', minItems, maxItems, items: { type: 'string', ...items } }
  return { name, in: 'query', required: true, description, schema }
}

function ofGraph(
  operationId: string,
  summary: string,
  parts: { parameters?: object[]; more?: object; name: string; lines?: boolean },
) {
  const { parameters = [], more = {}, name, lines = false } = parts
  const content = { ...json(name), ...(lines && ndjson(name)) }
  const ofBody = 'requestBody' in more ? [413, 415] : []
  const answers = responses(summary, content, 400, 401, 403, 404, ...ofBody, 429)
  return { operationId, summary, parameters, ...more, responses: answers }
}

/** One JSON value of this schema per line. */
function ndjson(name: string) {
  return { 'application/x-ndjson': { schema: ref(name) } }
}

const graphName = {
  name: 'graph',
  in: 'path',
  required: true,
  description: 'The graph’s name: up to 64 lower-case letters, digits and . _ -',
  schema: { type: 'string', pattern: GRAPH_NAME.source },
  example: 'friends',
}

/** @param of - inserted into the names of its operations */
function readingOperations(path: string, of: '' | 'Custom', parameters: object[]) {
  const account = ACCOUNTS[of ? 'custom' : 'network']
  const list = [actor(account), ...pageOfActors]
  const get = (what: string, summary: string, parts: Parameters<typeof ofGraph>[2]) => ({
    ...(parameters.length > 0 && { parameters }),
    get: ofGraph(`get${of}${what}`, summary, parts),
  })
  const set = { pattern: account.pattern.replace('^', '^(follows|followers):') }
  const sets = many('set', 'follows:<account> or followers:<account>', set, [2, MAX_SETS])
  const pages = { name: 'Actors', lines: true }
  const counted = {
    parameters: [many('actor', 'Accounts', account, [1, MAX_COUNTED])],
    name: 'Counts',
  }
  const body = { requestBody: { required: true, content: json(of ? 'CustomPairs' : 'Pairs') } }
  const isIn = `Whether the first follows the second, of up to ${MAX_PAIRS} pairs`
  return {
    [`${path}/follows`]: get('Follows', 'Accounts that an account follows', {
      parameters: list,
      ...pages,
    }),
    [`${path}/followers`]: get('Followers', 'Accounts that follow an account', {
      parameters: list,
      ...pages,
    }),
    [`${path}/intersection`]: get('Intersection', 'Accounts in all of these lists', {
      parameters: [sets, ...pageOfActors],
      ...pages,
    }),
    [`${path}/counts`]: get('Counts', 'Counts of follows and followers', counted),
    [`${path}/contains`]: {
      ...(parameters.length > 0 && { parameters }),
      post: ofGraph(of ? 'customContains' : 'contains', isIn, { more: body, name: 'Contains' }),
    },
  }
}

function dump(operationId: string) {
  return {
    operationId,
    summary: 'All follows, as lines that can be loaded',
    parameters: [{ ...cursor, description: 'A line’s cursor: continues after it.' }],
    responses: responses('The lines.', ndjson('AdjacencyLine'), 400, 401, 403, 404, 429),
  }
}

const loadParameters = [
  {
    name: 'load',
    in: 'query',
    required: true,
    description: 'Your name for this load.',
    schema: { type: 'string', pattern: LOAD_ID.source },
  },
  {
    name: 'from',
    in: 'query',
    description: 'The number of its lines already applied: this request has the next ones.',
    schema: { type: 'integer', minimum: 0, maximum: 999_999_999, default: 0 },
  },
]

function writingOperations(path: string) {
  return {
    [path]: {
      parameters: [graphName],
      get: ofGraph('getCustomGraph', 'Its size, and the progress of its last load', {
        name: 'CustomGraph',
      }),
      delete: ofGraph('deleteCustomGraph', 'Delete it', { name: 'Deleted' }),
    },
    [`${path}/edges`]: {
      parameters: [graphName],
      post: {
        operationId: 'editCustomGraph',
        summary: 'Add and remove follows',
        requestBody: { required: true, content: json('EditGraph') },
        responses: responses('Committed.', json('EditedGraph'), ...WRITE_REFUSALS),
      },
    },
    [`${path}/adjacency`]: {
      parameters: [graphName],
      get: dump('dumpCustomGraph'),
      post: {
        operationId: 'loadCustomGraph',
        summary: `Add the follows of an adjacency list: lines of up to ${MAX_FOLLOWS_A_LINE} follows, ${MAX_LOAD_BYTES >> 20} MB a request`,
        parameters: loadParameters,
        requestBody: { content: ndjson('AdjacencyLine') },
        responses: responses('All lines are committed.', json('Loaded'), 409, ...WRITE_REFUSALS),
      },
    },
  }
}

const WRITE_REFUSALS = [400, 401, 403, 413, 415, 429, 503]

export function graphOperations() {
  const network = readingOperations('/v1/graph', '', [])
  return {
    ...network,
    '/v1/graph/adjacency': { get: dump('dumpGraph') },
    ...readingOperations('/v1/graphs/{graph}', 'Custom', [graphName]),
    ...writingOperations('/v1/graphs/{graph}'),
  }
}
