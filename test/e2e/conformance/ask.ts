// Calls any Slipstream method by name, with a token from the account's PDS or as a visitor, and decodes the
// answer with the official decoder as the app applies it: one invalid field fails the whole answer.

import { schemas } from '@atproto/api'
import { Client, type DidString } from '@atproto/lex'
import { Lexicons } from '@atproto/lexicon'
import * as official from '../node_modules/@atproto/bsky/dist/lexicons/index.js'
import type { Account } from '../support/account.ts'
import type { World } from '../support/world.ts'
import { ownLexicons } from './own-lexicons.ts'

export type Params = Record<string, unknown>
export type Body = Record<string, unknown>

export type RequestOptions = { params?: Params; input?: unknown; headers?: Record<string, string> }

export type Asker = {
  did: string | undefined
  /** @throws for any problem with the answer */
  decoded(nsid: string, requested: RequestOptions): Promise<{ body: Body; headers: Headers }>
  /** The undecoded answer. */
  answer(nsid: string, requested: RequestOptions): Promise<{ status: number; body: Body }>
  /** Status and error name of any answer. */
  outcome(nsid: string, requested: RequestOptions & { method?: string }): Promise<Outcome>
}

export type Outcome = { status: number; error: string | undefined; message: string | undefined }

const lexicons = new Lexicons([...schemas, ...ownLexicons])
const TOKEN_SECONDS = 600

/** @param account - undefined for a visitor */
export function createAsker(
  { slipstream }: World,
  account: Account | undefined,
  origin = slipstream.origin,
): Asker {
  const tokens = new Map<string, Promise<string>>()

  async function authorization(nsid: string): Promise<Record<string, string>> {
    if (!account) return {}
    if (!tokens.has(nsid)) tokens.set(nsid, mint(account, slipstream.did, nsid))
    return { authorization: `Bearer ${await tokens.get(nsid)}` }
  }

  async function send(
    nsid: string,
    { params, input, headers, method }: RequestOptions & { method?: string },
  ) {
    const body = input === undefined ? undefined : JSON.stringify(input)
    const isPost = method === 'POST' || body !== undefined
    return fetch(`${origin}/xrpc/${nsid}${queryOf(params)}`, {
      method: method ?? (isPost ? 'POST' : 'GET'),
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(await authorization(nsid)),
        ...headers,
      },
      ...(body !== undefined && { body }),
    })
  }

  return {
    did: account?.did,
    async decoded(nsid, requested) {
      let headers = new Headers()
      const fetchHandler = async (path: string, init: RequestInit) => {
        const all = new Headers({ ...(await authorization(nsid)), ...requested.headers })
        for (const [name, value] of new Headers(init.headers)) all.set(name, value)
        const response = await fetch(new URL(path, origin), { ...init, headers: all })
        headers = response.headers
        return response
      }
      if (nsid.startsWith('io.')) {
        const response = await send(nsid, requested)
        const body = (await response.json()) as Body
        if (!response.ok) throw new Error(`${response.status} ${JSON.stringify(body)}`)
        const { headers } = response
        return { body: lexicons.assertValidXrpcOutput(nsid, body) as Body, headers }
      }
      const client = new Client({ did: account?.did as DidString, fetchHandler })
      const body = await client.call(
        schemaOf(nsid),
        (requested.input ?? requested.params ?? {}) as never,
      )
      return { body: (body ?? {}) as Body, headers }
    },
    async answer(nsid, requested) {
      const response = await send(nsid, requested)
      return { status: response.status, body: (await response.json()) as Body }
    },
    async outcome(nsid, requested) {
      const response = await send(nsid, requested)
      const text = await response.text()
      const { error, message } = (text.startsWith('{') ? JSON.parse(text) : {}) as Partial<Outcome>
      return { status: response.status, error, message }
    },
  }
}

async function mint(account: Account, aud: string, lxm: string): Promise<string> {
  const exp = Math.floor(Date.now() / 1000) + TOKEN_SECONDS
  const { data } = await account.agent.com.atproto.server.getServiceAuth({ aud, lxm, exp })
  return data.token
}

function queryOf(params: Params = {}): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(params)) {
    for (const item of Array.isArray(value) ? value : [value]) query.append(name, String(item))
  }
  return query.size === 0 ? '' : `?${query}`
}

/** The method's module in the official schemas. */
export function schemaOf(nsid: string): Parameters<Client['call']>[0] {
  let found: unknown = official
  for (const part of nsid.split('.')) found = (found as Record<string, unknown> | undefined)?.[part]
  if (!found) throw new Error(`the official schemas know no ${nsid}`)
  return found as Parameters<Client['call']>[0]
}
