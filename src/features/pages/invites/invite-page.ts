// /invite: a person enters a handle and a code, which admits the account behind the handle to read here. It
// becomes a member with its first request, which a PDS signs. So entering another person's handle only gives
// them the code.

import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { parseNamedThing } from '../../../base/atproto/named-thing.ts'
import { XRPCError } from '../../../base/atproto/xrpc-error.ts'
import type { Logger } from '../../../base/obs/log.ts'
import type { Invites } from '../../../http/xrpc/accounts/invites.ts'
import { IdentityUnavailableError } from '../../../sources/identity/fetch-identity.ts'
import type { Resolver } from '../../../sources/identity/resolver.ts'
import { loadAssets } from '../assets.ts'
import type { Us } from './connect-section.ts'
import { INVITE_HEADERS, type InvitePage, inviteDocument } from './invite-document.ts'

type InviteContext = {
  /** This server's address, to point clients at. */
  us: Us
  invites: Invites
  resolver: Pick<Resolver, 'resolve' | 'resolveHandle'>
  /** Returns the DID of an account that the index knows by this handle or DID. */
  known: (actor: string) => string | undefined
  log: Pick<Logger, 'info' | 'error'>
}

type Outcome = { status: 200 | 400 | 503; page: Omit<InvitePage, 'us'> }

const MAX_FORM_BYTES = 4096
const NAME_LENGTH = 2048
/** Rate limit points, since any visitor can cause a look-up on the network. */
const POINTS = 20

/** For the server's `sideRoutes`; empty if invites admit no accounts. */
export function inviteRoutes(context: InviteContext) {
  const { us, invites } = context
  if (!invites.isOn) return []
  const app = new Hono()
  app.get('/', (c) => c.body(inviteDocument(loadAssets(), { us }), 200, INVITE_HEADERS))
  app.post('/', bodyLimit({ maxSize: MAX_FORM_BYTES }), async (c) => {
    const form = new URLSearchParams(await c.req.text())
    const { status, page } = await comeIn(context, {
      handle: (form.get('handle') ?? '').slice(0, NAME_LENGTH).trim(),
      code: (form.get('code') ?? '').slice(0, 100).trim(),
    })
    return c.body(inviteDocument(loadAssets(), { us, ...page }), status, INVITE_HEADERS)
  })
  const charge = { route: 'invite', points: POINTS, from: 'visitor' } as const
  return [{ path: '/invite', app, charges: [charge] }]
}

async function comeIn(
  { invites, resolver, known, log }: InviteContext,
  typed: { handle: string; code: string },
): Promise<Outcome> {
  const again = (status: 400 | 503, problem: string): Outcome => ({
    status,
    page: { ...typed, problem },
  })
  const actor = parseNamedThing(typed.handle)?.actor
  if (actor === undefined) {
    return again(400, 'This is not a handle such as alice.example.org, nor a DID.')
  }
  try {
    const did = known(actor) ?? (await lookUp(resolver, actor))
    if (!did) return again(400, 'There is no such account. Check the spelling.')
    await invites.redeem(did, typed.code)
    log.info({ did }, 'admitted by an invite')
    return { status: 200, page: { welcome: actor } }
  } catch (error) {
    if (error instanceof XRPCError) return again(400, error.message)
    if (error instanceof IdentityUnavailableError) {
      return again(503, 'This account can’t be looked up right now. Try again in a minute.')
    }
    log.error({ err: error }, 'an invite could not be redeemed')
    return again(503, 'Something went wrong. Try again in a minute.')
  }
}

/** Rejects DIDs that do not exist, which would waste a code. */
async function lookUp(
  resolver: InviteContext['resolver'],
  actor: string,
): Promise<string | undefined> {
  if (!actor.startsWith('did:')) return resolver.resolveHandle(actor)
  return (await resolver.resolve(actor)) && actor
}
