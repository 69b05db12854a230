// The OpenAPI document of /v1 (src/features/timelines/http/openapi.json), generated from the schemas that check posts
// and from those of the answers below, which a test checks against real ones. `npm run docs` writes it.

import { z } from 'zod'
import { zodToJsonSchema } from 'zod-to-json-schema'
import { putCursorSchema } from '../../src/features/timelines/http/cursor-routes.ts'
import { postSchema } from '../../src/features/timelines/http/post-body.ts'
import { DEFAULT_LIMIT, MAX_LIMIT, SEQUENCE } from '../../src/features/timelines/http/routes.ts'
import {
  CUSTOM_NAME,
  MAX_LENGTH,
  MAX_MERGED,
} from '../../src/features/timelines/sources/timeline-key.ts'
import { graphOperations, graphSchemas } from './openapi-graph.ts'
import { cursorText, DID, json, ref, responses } from './openapi-parts.ts'

const sequence = z.string().regex(/^\d+$/).describe('A 64-bit number; only grows.')
const time = z.string().datetime()

export const eventSchema = z
  .object({
    event_id: z
      .string()
      .describe('Unique on this server; a record has the same one in each timeline that holds it.'),
    sequence_id: sequence,
    prev_sequence_id: sequence
      .nullable()
      .describe('The sequence_id of the previous event in its timeline; reveals gaps.'),
    timeline_key: z.string().describe('In a merge, the first named timeline that holds the event.'),
    entity_id: z.string(),
    entity_type: z.string(),
    payload: z.unknown().describe('Any JSON.'),
    producer_ts: time,
    received_at: time,
  })
  .strict()

const gapSchema = z
  .object({
    kind: z.enum(['stream', 'account', 'awaited', 'skipped']),
    did: z.string().optional().describe('The account, for kind account.'),
    from_time: time.optional(),
    to_time: time.optional(),
    from_sequence_id: sequence.optional(),
    to_sequence_id: sequence.optional(),
    state: z.enum(['open', 'repairing', 'closed']).optional(),
    since: time,
  })
  .strict()

export const pageSchema = z
  .object({
    events: z.array(eventSchema),
    next_cursor: z
      .string()
      .nullable()
      .describe('Continues in this direction; null at the oldest event.'),
    prev_cursor: z.string().nullable().describe('Reads in the other direction.'),
    has_gap: z.boolean(),
    gaps: z.array(gapSchema).describe('Known gaps around these events.'),
    skipped: z
      .array(z.string())
      .describe('Timelines of a merge that did not answer in time: their events follow later.'),
  })
  .strict()

export const postedSchema = z
  .object({ event_id: z.string(), sequence_id: sequence, received_at: time })
  .strict()

export const cursorSchema = z.object({ cursor: z.string(), updated_at: time }).strict()

export const errorSchema = z
  .object({
    error: z.string().describe('A name for programs.'),
    message: z.string(),
    event_id: z
      .string()
      .optional()
      .describe('With IdempotencyConflict: the event that was stored.'),
    sequence_id: sequence.optional(),
    received_at: time.optional(),
  })
  .strict()

const schemas = {
  Event: eventSchema,
  Gap: gapSchema,
  Page: pageSchema,
  Post: postSchema,
  Posted: postedSchema,
  KeptCursor: cursorSchema,
  PutCursor: putCursorSchema,
  ...graphSchemas,
  Error: errorSchema,
}

type JsonSchema = {
  $schema?: string
  properties?: Record<string, object>
  required?: string[]
  dependentRequired?: object
}

function components(): Record<string, JsonSchema> {
  const all = Object.entries(schemas).map(([name, schema]): [string, JsonSchema] => {
    const options = { target: 'jsonSchema2019-09', $refStrategy: 'none' } as const
    const { $schema: _, ...rest } = zodToJsonSchema(schema, options) as JsonSchema
    return [name, rest]
  })
  const found = Object.fromEntries(all)
  const fields = found['Page']!.properties!
  fields['events'] = { ...fields['events'], items: ref('Event') }
  fields['gaps'] = { ...fields['gaps'], items: ref('Gap') }
  found['PutCursor']!.properties!['cursor'] = cursorText
  // zod also treats a value of any type as optional.
  for (const name of ['Event', 'Post']) found[name]!.required!.push('payload')
  found['Post']!.dependentRequired = { producer_id: ['producer_seq'] }
  return found
}

const NAMES = {
  did: `(following|author|notifications|likes|follows):${DID}`,
  list: `list:at://${DID}/app\\.bsky\\.graph\\.list/[A-Za-z0-9._:~-]{1,512}`,
  custom: `custom:${CUSTOM_NAME.source.slice(1, -1)}`,
}
const ONE_KEY = `(${Object.values(NAMES).join('|')})`
const ALL_KEYS = `^${ONE_KEY}(\\+${ONE_KEY}){0,${MAX_MERGED - 1}}$`

const key = {
  name: 'timeline_key',
  in: 'path',
  required: true,
  description: `following:<did>, author:<did>, list:<at-uri>, notifications:<did>, likes:<did>, follows:<did>, custom:<name>, or up to ${MAX_MERGED} of them joined by +.`,
  schema: { type: 'string', pattern: ALL_KEYS, maxLength: MAX_LENGTH },
  example: 'custom:news',
}

const cursor = {
  name: 'cursor',
  in: 'query',
  description: 'A next_cursor or prev_cursor of this timeline.',
  schema: cursorText,
}

const since = {
  name: 'since',
  in: 'query',
  description: 'Only events after this sequence_id, forward; not for a merge.',
  schema: { type: 'string', pattern: SEQUENCE.source },
}

function operations() {
  return {
    '/v1/timelines/{timeline_key}/events': eventOperations(),
    '/v1/timelines/{timeline_key}/stream': streamOperations(),
    '/v1/timelines/{timeline_key}/cursor': cursorOperations(),
  }
}

function eventOperations() {
  return {
    parameters: [key],
    get: {
      operationId: 'getEvents',
      summary: 'A page of a timeline',
      parameters: [
        cursor,
        since,
        {
          name: 'direction',
          in: 'query',
          description: 'forward: oldest first; backward: newest first.',
          schema: { type: 'string', enum: ['forward', 'backward'], default: 'backward' },
        },
        {
          name: 'limit',
          in: 'query',
          schema: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
        },
      ],
      responses: responses('The page.', json('Page'), 400, 401, 403, 404, 429),
    },
    post: {
      operationId: 'postEvent',
      summary: 'Append an event to a custom timeline',
      requestBody: { required: true, content: json('Post') },
      responses: responses(
        'Committed.',
        json('Posted'),
        ...[400, 401, 403, 409, 413, 415, 429, 503],
      ),
    },
  }
}

function streamOperations() {
  return {
    parameters: [key],
    get: {
      operationId: 'streamEvents',
      summary: 'Events as they arrive, as server-sent events',
      parameters: [
        cursor,
        since,
        {
          name: 'Last-Event-ID',
          in: 'header',
          description: 'The id of the last event seen: the stream continues after it.',
          schema: { type: 'string' },
        },
      ],
      responses: responses(
        'Each message’s data is an Event; messages with event: gap carry a Gap.',
        { 'text/event-stream': { schema: { type: 'string' } } },
        ...[400, 401, 403, 404, 429],
      ),
    },
  }
}

function cursorOperations() {
  return {
    parameters: [key],
    get: {
      operationId: 'getCursor',
      summary: 'The caller’s stored position',
      responses: responses('The cursor.', json('KeptCursor'), 400, 401, 403, 404, 429),
    },
    put: {
      operationId: 'putCursor',
      summary: 'Store a position',
      requestBody: { required: true, content: json('PutCursor') },
      responses: responses('Stored.', json('KeptCursor'), 400, 401, 403, 413, 415, 429, 503),
    },
  }
}

export function openapiDocument(): string {
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Slipstream timelines',
      version: '1',
      description: 'Timelines by arrival, for programs; described in docs/TIMELINES.md.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    paths: { ...operations(), ...graphOperations() },
    components: {
      schemas: components(),
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An operator’s token (slipstream token create), or a member’s service JWT for io.slipstream.timelines.read.',
        },
      },
    },
  }
  return `${JSON.stringify(document, null, 2)}\n`
}
