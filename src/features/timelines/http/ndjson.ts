// Streams lines of JSON over one response, page by page: the next page is read once the last one is on its
// way, so a list of any length takes the memory of one page. The server cuts off readers that are too slow
// (server/slow-readers.ts); they resume later from the last line's cursor. A reader whose access ends is cut off,
// so that what it has does not look like all.

import type { ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { tooManyStreams } from '../../../base/atproto/xrpc-error.ts'
import { BASE_HEADERS } from '../../../http/server/http-answer.ts'
import { type Asker, untilPaid } from './access.ts'
import { drained } from './drained.ts'

export const NDJSON = 'application/x-ndjson'
const MAX_OPEN = 32
const HEADERS = {
  ...BASE_HEADERS,
  'content-type': NDJSON,
  'cache-control': 'no-store',
}

/** Undefined `next` marks the last page. */
export type Lines = { lines: readonly unknown[]; next: string | undefined }

/** A list and who reads it. */
type List = {
  read: (cursor: string | undefined) => Lines
  asker: Pick<Asker, 'caller' | 'isStillWelcome'>
}

export type LineStreams = {
  /**
   * Reads the first page before the response starts, so that a bad request can still be refused.
   * @throws XRPCError 429, and the errors of `read`
   */
  send(response: ServerResponse, list: List, cursor: string | undefined): void
}

export function createLineStreams(onError: (error: unknown) => void): LineStreams {
  let open = 0

  async function sendAll(response: ServerResponse, list: List, first: Lines): Promise<void> {
    for (let page = first; !response.destroyed; page = await nextPage(list, page.next)) {
      if (!list.asker.isStillWelcome()) return void response.destroy()
      const text = page.lines.map((line) => `${JSON.stringify(line)}\n`).join('')
      if (text) response.write(text)
      if (page.next === undefined) {
        response.end()
        return
      }
      if (response.writableNeedDrain) await drained(response)
      else await nextTurn()
    }
  }

  return {
    send(response, list, cursor) {
      if (open >= MAX_OPEN) {
        throw tooManyStreams(`At most ${MAX_OPEN} lists are streamed at once`)
      }
      const first = list.read(cursor)
      open++
      response.writeHead(200, HEADERS)
      void sendAll(response, list, first)
        .catch((error) => {
          response.destroy()
          onError(error)
        })
        .finally(() => open--)
    },
  }
}

/** Each page is a turn of its reader, who pays for it. */
async function nextPage({ read, asker }: List, cursor: string | undefined): Promise<Lines> {
  await untilPaid(asker)
  return asker.caller.time.goOn(() => read(cursor))
}
