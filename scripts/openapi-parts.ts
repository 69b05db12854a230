// Building blocks of all operations in the OpenAPI document: references to schemas, and answers with their
// errors.

import { SIGNED } from '../src/answers/timelines/signed-cursor.ts'

export function ref(name: string) {
  return { $ref: `#/components/schemas/${name}` }
}

export const json = (name: string) => ({ 'application/json': { schema: ref(name) } })

const refusals: Record<string, string> = {
  400: 'The request is not understood: the message says what is wrong.',
  401: 'No token, or none that is valid.',
  403: 'This token may not do that.',
  404: 'There is no such timeline or graph.',
  409: 'Something else was posted with this idempotency key or number, or the load is elsewhere.',
  413: 'The body or the payload is too large.',
  415: 'The body is of another type, or compressed in a way that is not read.',
  431: 'Address and headers are more than 16 kB together.',
  429: 'Too much is asked or open; Retry-After says when to come back.',
  503: 'It can’t be written now.',
}

/** Same as in @atproto/syntax. */
export const DID = 'did:[a-z]+:[A-Za-z0-9._:%-]*[A-Za-z0-9._-]'

/** An opaque position from an earlier answer. */
export const cursorText = { type: 'string', pattern: SIGNED.source }

export function responses(description: string, content: object, ...statuses: number[]) {
  return {
    200: { description, content },
    ...Object.fromEntries(
      [...statuses, 431].map((status) => [
        status,
        { description: refusals[status], content: json('Error') },
      ]),
    ),
  }
}
