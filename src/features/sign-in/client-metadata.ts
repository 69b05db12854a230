// What this page is to a member's PDS: a public OAuth client (https://atproto.com/specs/oauth), whose identity
// is the address of its metadata. On localhost, which no PDS can reach, it is the loopback client, whose
// metadata is in its name. It has no keys of its own: each browser makes one, and its tokens are bound to it.

import type { Config } from '../../base/config/config.ts'
import { settingsOf } from '../../base/config/every-setting.ts'
import { isByInvite } from '../../base/config/members.ts'
import { scopesFor } from './scopes.ts'
import { signInSettings } from './settings.ts'
import type { Setup } from './setup.ts'

export type SignInConfig = Pick<
  Config,
  'hostname' | 'members' | 'plcUrl' | 'port' | 'publicOrigin' | 'serviceDid'
>

export const CALLBACK = '/oauth/callback'
export const METADATA = '/oauth/client-metadata.json'

export function setupOf(config: SignInConfig): Setup {
  const { serviceDid, hostname, plcUrl, members, publicOrigin } = config
  const previous = previousOf(config)
  const { all, ...scopes } = scopesFor(serviceDid, previous)
  const isLoopback = publicOrigin.startsWith('http:')
  return {
    clientId: isLoopback ? loopbackId(publicOrigin, all) : `${publicOrigin}${METADATA}`,
    serviceDid,
    hostname,
    plcUrl,
    previous,
    scopes,
    members: members === 'open' ? 'open' : isByInvite(members) ? 'invite' : 'listed',
    isLoopback,
  }
}

/** A PDS sends browsers back to addresses, not to names that may resolve to anything. */
function loopbackId(publicOrigin: string, scope: string): string {
  const { port } = new URL(publicOrigin)
  const redirect = `http://127.0.0.1${port && `:${port}`}${CALLBACK}`
  return `http://localhost?${new URLSearchParams({ redirect_uri: redirect, scope })}`
}

export function clientMetadata(config: SignInConfig): object {
  const { publicOrigin, serviceDid, hostname } = config
  return {
    client_id: `${publicOrigin}${METADATA}`,
    client_name: `Slipstream at ${hostname}`,
    client_uri: publicOrigin,
    redirect_uris: [`${publicOrigin}${CALLBACK}`],
    scope: scopesFor(serviceDid, previousOf(config)).all,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'web',
    dpop_bound_access_tokens: true,
  }
}

function previousOf(config: SignInConfig): string {
  return settingsOf(config, signInSettings).previousAppview
}
