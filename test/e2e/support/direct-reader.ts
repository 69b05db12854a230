// A reader that calls Slipstream directly, with tokens signed as its PDS would, and decodes the answers with
// the app's strict client.

import { Client, type DidString } from '@atproto/lex'
import type { PlcAccount } from '../../support/plc-double.ts'
import { signServiceJwt } from '../../support/service-jwt.ts'

export type DirectReader = { did: DidString; client: () => Client }

export function createDirectReader(
  account: PlcAccount,
  slipstream: { origin: string; did: string },
): DirectReader {
  const did = account.did as DidString
  async function fetchHandler(path: string, init: RequestInit): Promise<Response> {
    const url = new URL(path, slipstream.origin)
    const lxm = url.pathname.replace('/xrpc/', '')
    const claims = { iss: did, aud: slipstream.did, lxm }
    const headers = new Headers(init.headers)
    headers.set('authorization', `Bearer ${await signServiceJwt(account.keypair, claims)}`)
    return fetch(url, { ...init, headers })
  }
  const client = new Client({ did, fetchHandler })
  return { did, client: () => client }
}
