// Validates posts to a timeline. The OpenAPI document is made from the same schema.

import { hash } from 'node:crypto'
import { z } from 'zod'
import { invalidRequest, XRPCError } from '../../../base/atproto/xrpc-error.ts'
import { parseExactJson } from '../../../base/util/exact-json.ts'
import type { TimelinePost } from '../store/programs/timeline-posts.ts'

const MAX_PAYLOAD_BYTES = 16_384
const MAX_NUMBER = Number.MAX_SAFE_INTEGER - 1

/** The years 1 to 9999, in milliseconds: what can be answered as ISO 8601. */
const [FIRST_TIME, LAST_TIME] = [-62_135_596_800_000, 253_402_300_799_999]

/**
 * The years 2000 to 2099 in seconds, which would read as weeks of 1970. Times of these weeks can be given as ISO 8601.
 */
const [FIRST_SECOND, LAST_SECOND] = [946_684_800, 4_102_444_799]
/** With how many of them are in a second. */
const OTHER_UNITS = [
  ['seconds', 1],
  ['microseconds', 1e6],
  ['nanoseconds', 1e9],
] as const
const WANTED = 'Expected ISO 8601 with an offset, or whole milliseconds since 1970'

export const postSchema = z
  .object({
    entity_id: z.string().min(1).max(1_024).describe('The subject of the event, e.g. an at-URI.'),
    entity_type: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._:#-]{0,63}$/)
      .describe('The kind of that subject, e.g. post or weather.'),
    payload: z.unknown().describe(`Any JSON of up to ${MAX_PAYLOAD_BYTES} bytes.`),
    producer_ts: z
      .union([
        z.string().datetime({ offset: true }),
        z.number().int().min(FIRST_TIME).max(LAST_TIME),
      ])
      .describe(
        'When it happened, according to the producer: ISO 8601, or milliseconds since 1970.',
      ),
    idempotency_key: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe(
        'Reusing it within 24 hours returns the same answer and writes nothing, also with another producer_ts.',
      ),
    producer_id: z
      .string()
      .regex(/^[A-Za-z0-9._:-]{1,128}$/)
      .optional()
      .describe('The producer of this number; only with producer_seq.'),
    producer_seq: z
      .number({ invalid_type_error: `Expected a number of up to ${MAX_NUMBER}` })
      .int()
      .min(1)
      .max(MAX_NUMBER)
      .optional()
      .describe('The producer’s number for the event: one more than the last.'),
  })
  .strict()

const KEY_BYTES = 16
const NOTHING = new Uint8Array(0)

/**
 * @param reader - owner of the idempotency keys and producers
 * @throws XRPCError 400 or 413
 */
export function parsePost(
  text: string,
  { name, reader }: { name: string; reader: string },
): TimelinePost {
  const given = readJson(text)
  const parsed = postSchema.safeParse(given)
  if (!parsed.success) throw invalidRequest(messageOf(parsed.error, given))
  const { data } = parsed
  if (data.payload === undefined) throw invalidRequest('payload: Required')
  const payload = writeJson(data.payload)
  if (Buffer.byteLength(payload) > MAX_PAYLOAD_BYTES) {
    const message = `The payload is larger than ${MAX_PAYLOAD_BYTES} bytes`
    throw new XRPCError(413, 'PayloadTooLarge', message)
  }
  const { entity_id, entity_type, producer_ts, idempotency_key, producer_id, producer_seq } = data
  if (producer_id !== undefined && producer_seq === undefined) {
    throw invalidRequest('producer_id: only together with producer_seq')
  }
  const producerTs = typeof producer_ts === 'number' ? producer_ts : Date.parse(producer_ts)
  const wrongUnit = wrongUnitWords(producer_ts)
  if (wrongUnit) throw invalidRequest(`producer_ts: ${wrongUnit}`)
  if (Number.isNaN(producerTs)) throw invalidRequest('producer_ts: not a valid time')
  if (!entity_id.isWellFormed()) throw invalidRequest('entity_id: unpaired surrogate')
  // Without the time, which many producers set again for each attempt.
  const reported = [entity_id, entity_type, producer_id, producer_seq]
  const complete =
    idempotency_key === undefined ? undefined : `${JSON.stringify(reported)}\n${payload}`
  return {
    name,
    entityId: entity_id,
    entityType: entity_type,
    payload,
    producerTs,
    key: idempotency_key === undefined ? undefined : digest(`${reader}\n${idempotency_key}`),
    body: complete === undefined ? NOTHING : digest(complete),
    numbered:
      producer_seq === undefined
        ? undefined
        : { producer: `${reader}\n${producer_id ?? ''}`, number: producer_seq },
  }
}

function readJson(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch {
    throw invalidRequest('The body is not JSON')
  }
}

/** A value nested too deeply to serialise is an attack. */
function writeJson(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    throw invalidRequest('payload: nested too deeply')
  }
}

function messageOf({ issues }: z.ZodError, given: unknown): string {
  const [first] = issues
  const where = first?.path.join('.')
  if (where === 'producer_ts') return `producer_ts: ${wrongTimeWords(given)}`
  return `${where ? `${where}: ` : ''}${first?.message ?? 'The body is invalid'}`.slice(0, 300)
}

function wrongTimeWords(given: unknown): string {
  const { producer_ts: time } = given as { producer_ts?: unknown }
  return time === undefined ? `Required. ${WANTED}` : (wrongUnitWords(time) ?? WANTED)
}

/** @returns undefined unless the number is a time of our age in another unit */
function wrongUnitWords(time: unknown): string | undefined {
  if (typeof time !== 'number') return undefined
  const [unit] = OTHER_UNITS.find(
    ([, each]) => time >= FIRST_SECOND * each && time <= LAST_SECOND * each,
  ) ?? [undefined]
  return unit && `This looks like ${unit}. ${WANTED}`
}

function digest(text: string): Uint8Array {
  return hash('sha256', text, 'buffer').subarray(0, KEY_BYTES)
}
