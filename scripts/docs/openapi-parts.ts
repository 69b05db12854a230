// Building blocks of all operations in the OpenAPI document: references to schemas, and answers with their
// errors.

import { SIGNED } from '../../src/features/timelines/sources/signed-cursor.ts'

export function ref(name: string) {
  return { $ref: `#/components/schemas/${name}` }
}

export const json = (name: string) => ({ 'application/json': { schema: ref(name) } })

const refusals: Record<string, string> = {
  400: 'The request is invalid: the message says why.',
  401: 'No token, or an invalid one.',
  403: 'This token may not do that.',
  404: 'There is no such timeline or graph.',
  409: 'This idempotency key or number was used for another event, or the load is at another line.',
  413: 'The body or the payload is too large.',
  415: 'The body has another type or an unsupported compression.',
  431: 'URL and headers exceed 16 kB together.',
  429: 'Too many requests or streams; Retry-After says when to retry.',
  503: 'Writing is not possible now.',
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
