// Sends one recorded request to a tree, and for lists the pages behind it, by the cursor that this tree gave:
// so a cursor may look different in each tree, but must lead to the same page.

import type { RecordedNetwork } from './network.ts'

export const SERVICE = 'did:web:appview.test'

export type Recorded = {
  method: string
  /** undefined: a visitor. */
  viewer: string | undefined
  /** With the query, without a cursor. */
  path: string
  /** Of a procedure; a text is sent as it is. */
  body?: unknown
  /** How many pages to ask for at most; 1 by default. */
  pages?: number
  /** Makes one answer of all pages. */
  gather?: (pages: readonly Answer[]) => Answer
  headers?: Record<string, string>
  /** Sent instead of a token of the viewer for this method. */
  authorization?: string
  /** What of the request is meant to be looked at, for the report. */
  about: string
}

export type Answer = {
  status: number
  type: string
  /** Headers that clients read. */
  headers: Record<string, string>
  text: string
}

type Answering = { readonly origin: string }

const READ_HEADERS = ['atproto-repo-rev', 'atproto-content-labelers', 'www-authenticate', 'allow']
const LIFETIME_SECONDS = 3_600
const TIMEOUT_MS = 30_000

/** @param tree - a running one, see tree.ts */
export type Asker = (tree: Answering, request: Recorded) => Promise<Answer[]>

export function createAsker({ servers }: RecordedNetwork): Asker {
  const tokens = new Map<string, Promise<string>>()

  /** The same token for all trees. */
  function tokenOf(iss: string, lxm: string): Promise<string> {
    const key = `${iss} ${lxm}`
    const made =
      tokens.get(key) ??
      servers.serviceJwt({ iss, aud: SERVICE, lxm, lifetimeSeconds: LIFETIME_SECONDS })
    tokens.set(key, made)
    return made
  }

  async function ask(tree: Answering, request: Recorded, cursor?: string): Promise<Answer> {
    const { method, viewer, path, body, headers = {} } = request
    const token = viewer && `Bearer ${await tokenOf(viewer, method)}`
    const authorization = request.authorization ?? token
    const more = cursor === undefined ? '' : `cursor=${encodeURIComponent(cursor)}`
    const url = `${tree.origin}${path}${more && (path.includes('?') ? '&' : '?')}${more}`
    const response = await fetch(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...(authorization && { authorization }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    return {
      status: response.status,
      type: response.headers.get('content-type') ?? '',
      headers: Object.fromEntries(
        READ_HEADERS.flatMap((name) => {
          const value = response.headers.get(name)
          return value === null ? [] : [[name, value]]
        }),
      ),
      text: await response.text(),
    }
  }

  return async (tree, request) => {
    const answers: Answer[] = []
    let cursor: string | undefined
    do {
      const answer = await ask(tree, request, cursor)
      answers.push(answer)
      cursor = cursorOf(answer)
    } while (cursor && answers.length < (request.pages ?? 1))
    return request.gather ? [request.gather(answers)] : answers
  }
}

function cursorOf({ status, text }: Answer): string | undefined {
  if (status !== 200) return undefined
  const { cursor, next_cursor } = (parsed(text) ?? {}) as { cursor?: string; next_cursor?: string }
  return cursor ?? next_cursor ?? undefined
}

/** undefined if it is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
