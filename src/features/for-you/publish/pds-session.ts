// A session at a member's PDS by app password, for the few calls of one command.

import { asObject, type JsonObject, parseJson } from '../../../base/util/json-object.ts'
import type { GuardedFetch } from '../../../sources/identity/guarded-fetch.ts'
import { CliError, EXIT } from '../../../tools/fail.ts'

export type PdsSession = {
  get(nsid: string, query: Record<string, string>): Promise<JsonObject>
  post(nsid: string, input: JsonObject): Promise<JsonObject>
  /** The session ends; nothing of it is kept. */
  end(): Promise<void>
}

const MAX_BYTES = 256 * 1024

/** @throws CliError if the PDS does not take the password, or it is another account's */
export async function openSession(
  fetch: GuardedFetch,
  { did, pds }: { did: string; pds: string },
  password: string,
): Promise<PdsSession> {
  const at = caller(fetch, pds.replace(/\/$/, ''))
  const login = { identifier: did, password }
  const session = await at('com.atproto.server.createSession', { input: login })
  if (session['did'] !== did) throw new CliError('That is another account’s password.', PASSWORD)
  const bearer = (token: string) => ({ authorization: `Bearer ${String(session[token])}` })
  return {
    get: (nsid, query) => at(nsid, { query, headers: bearer('accessJwt') }),
    post: (nsid, input) => at(nsid, { input, headers: bearer('accessJwt') }),
    async end() {
      await at('com.atproto.server.deleteSession', { headers: bearer('refreshJwt') })
    },
  }
}

const PASSWORD = 'Make an app password in the settings of the account’s usual client.'

type Request = {
  query?: Record<string, string>
  input?: JsonObject
  headers?: Record<string, string>
}

function caller(fetch: GuardedFetch, pds: string) {
  return async (nsid: string, { query, input, headers = {} }: Request): Promise<JsonObject> => {
    const search = query ? `?${new URLSearchParams(query)}` : ''
    const response = await fetch(`${pds}/xrpc/${nsid}${search}`, {
      method: query ? 'GET' : 'POST',
      headers: { ...headers, ...(input && { 'content-type': 'application/json' }) },
      ...(input && { body: JSON.stringify(input) }),
      maxBytes: MAX_BYTES,
    }).catch((cause: Error) => {
      throw new CliError(
        `${pds} can’t be reached: ${cause.message}`,
        'Try later.',
        EXIT.unavailable,
      )
    })
    const body = asObject(parseJson(response.body.toString())) ?? {}
    if (response.status === 200) return body
    throw refused(pds, body, response.status)
  }
}

/** Another PDS's words are shortened, and never in control of the terminal. */
function refused(pds: string, { error, message }: JsonObject, status: number): CliError {
  const words = typeof message === 'string' ? message.replace(/\p{Cc}/gu, ' ').slice(0, 200) : ''
  const hint =
    error === 'AuthenticationRequired' || status === 401 ? PASSWORD : 'Nothing was changed.'
  return new PdsError(`${pds} refuses: ${words || status}`, hint, String(error ?? status))
}

export class PdsError extends CliError {
  readonly error: string
  constructor(message: string, hint: string, error: string) {
    super(message, hint)
    this.error = error
  }
}
