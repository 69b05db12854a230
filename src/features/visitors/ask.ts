// Our own methods, called without a token: what visitors may see, and nothing else. Each call waits and pays as
// if the page's visitor had made it.

import { setImmediate as socketsRead } from 'node:timers/promises'
import type { Context } from 'hono'
import { parseJson } from '../../base/util/json-object.ts'
import type { ServeContext } from '../../http/feature.ts'
import type { Connected } from '../../http/server/http-request.ts'

type Visit = ServeContext['visit']
export type Ask = <T>(nsid: string, params: Record<string, string | undefined>) => Promise<T>

/** What a method refused; `status` is what the page answers, too. */
export class NotVisibleError extends Error {
  readonly status: 400 | 403 | 404 | 429 | 503
  constructor(status: NotVisibleError['status']) {
    super(`not shown: ${status}`)
    this.status = status
  }
}

/** @param c - of the page that is made of the answers */
export function createAsk(visit: Visit, c: Context): Ask {
  const { forwarded, by } = visitorIn(c)
  /** A later turn of the page's request. */
  const read = (text: string) => {
    const parse = () => (parseJson(text) ?? {}) as { error?: string }
    return by?.time ? by.time.run(parse) : parse()
  }
  return async <T>(nsid: string, params: Record<string, string | undefined>) => {
    const given = Object.entries(params).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    )
    const response = await visit(
      new Request(`http://localhost/xrpc/${nsid}?${new URLSearchParams(given)}`, {
        headers: forwarded === undefined ? {} : { [FORWARDED]: forwarded },
      }),
      by,
    )
    const text = await response.text().catch(() => '')
    // Of the largest posts, it is 4 MB: making it text, reading it and writing the page are three turns.
    const isLarge = text.length > LARGE
    if (isLarge) await socketsRead()
    const body = read(text)
    if (isLarge) await socketsRead()
    if (!response.ok) throw new NotVisibleError(statusOf(response.status, body.error))
    return body as T
  }
}

const LARGE = 1 << 20
const FORWARDED = 'x-forwarded-for'

function visitorIn(c: Context): { forwarded: string | undefined; by: Connected | undefined } {
  return { forwarded: c.req.header(FORWARDED), by: c.env as Connected | undefined }
}

const GONE = /NotFound|not found|AccountDeactivated|AccountTakedown|BlockedActor/i

function statusOf(status: number, error = ''): NotVisibleError['status'] {
  if (status === 429) return 429
  if (status >= 500) return 503
  if (status === 403) return 403
  return status === 404 || status === 400 || GONE.test(error) ? 404 : 400
}
