// Authentication: verifies a request's bearer token for the called method, and asks `onViewer` what the
// operator's list of members says about the account.

import { forbidden, unauthorized } from '../../base/atproto/xrpc-error.ts'
import { bearerToken, isSameSecret } from '../../base/util/secrets.ts'
import type { OnceTable } from '../../data/shared-memory/once-table.ts'
import { createReadingTokens, isReadingToken } from '../../sources/identity/reading-token.ts'
import type { Asker } from '../../sources/identity/resolver.ts'
import type { ServiceAuth } from '../../sources/identity/service-jwt.ts'
import type { HttpRequest } from './http-request.ts'
import type { Method } from './method.ts'

type Caller = {
  viewer: string | undefined
  /** Only if it is addressed to another service, to be handed on. */
  token: string | undefined
  isOperator?: boolean
  isByLink?: boolean
}

type AuthRequest = Pick<HttpRequest, 'header' | 'remoteAddress'> & {
  behind?: HttpRequest['behind']
}

export type Authenticate = (
  method: Method,
  request: AuthRequest,
  /** Pays for the look-up of an unknown issuer. */
  asker?: Asker,
) => Promise<Caller> | Caller

/**
 * Runs after a token was verified; may throw an XRPCError to turn the account away. Only a token
 * that `isForUs` makes its owner a member.
 */
export type OnViewer = (
  did: string,
  token: { isForUs: boolean },
  request: AuthRequest,
) => Promise<void> | void

const anonymous: Caller = { viewer: undefined, token: undefined }
const operator: Caller = { ...anonymous, isOperator: true }

export function createAuthenticate(options: {
  serviceAuth: ServiceAuth
  onViewer?: OnViewer
  /** By default, every account is a member. */
  isMember?: ((did: string) => boolean) | undefined
  /** DIDs named in the operator's settings, which read without being members. */
  moderationServices?: readonly string[]
  operatorToken?: string | undefined
  /** Tokens of members for other services that were used here, shared by all serving threads. */
  usedTokens: OnceTable
  now?: () => number
}): Authenticate {
  const { serviceAuth, onViewer, isMember = () => true, operatorToken, usedTokens } = options
  const { now = Date.now } = options
  const moderationServices = new Set(options.moderationServices)
  const readingTokens = operatorToken === undefined ? undefined : createReadingTokens(operatorToken)

  async function verified(
    method: Method,
    { token, request, asker }: { token: string; request: AuthRequest; asker: Asker | undefined },
  ): Promise<Caller> {
    if (isReadingToken(token)) return byLink(method, token, request)
    const { acceptsLxm, anyAudience, nsid } = method
    const proof = await serviceAuth.verify(token, nsid, { acceptsLxm, anyAudience, asker })
    const { did, isForUs, isAddressedToUs } = proof
    const handedOn = isAddressedToUs ? undefined : token
    if (method.forStrangers || (isForUs && moderationServices.has(did))) {
      return { viewer: did, token: handedOn }
    }
    const admitted = onViewer?.(did, { isForUs }, request)
    if (admitted) await admitted
    if (!isForUs && !isMember(did)) return visitorWith(method, handedOn)
    return isAddressedToUs || isFirstUse(token, proof)
      ? { viewer: did, token: handedOn }
      : repeated(method)
  }

  /**
   * The service that a token is addressed to gets it from us, and could read here as the member.
   * What is remembered is what was signed, since a signature has more than one form.
   */
  function isFirstUse(token: string, { expiresAt }: { expiresAt: number }): boolean {
    return usedTokens.use(token.slice(0, token.lastIndexOf('.')), expiresAt, now())
  }

  /** A link only lets existing members read, and makes no account a member. */
  async function byLink({ nsid }: Method, token: string, request: AuthRequest): Promise<Caller> {
    const did = readingTokens?.didOf(token, nsid)
    if (did === undefined || !isMember(did)) {
      throw unauthorized('ExpiredToken', 'This reading link has expired, or does not allow this')
    }
    await onViewer?.(did, { isForUs: true }, request)
    return { viewer: did, token: undefined, isByLink: true }
  }

  async function moderator({ nsid }: Method, authorization = '', asker?: Asker): Promise<Caller> {
    if (isAdmin(operatorToken, authorization)) return operator
    const token = bearerToken(authorization)
    if (token === undefined) throw unauthorized('AuthMissing', 'Authentication Required')
    const options = { issuers: moderationServices, asker }
    const { did, isForUs } = await serviceAuth.verify(token, nsid, options)
    if (isForUs && moderationServices.has(did)) return { viewer: did, token: undefined }
    throw unauthorized('UntrustedIss', 'Untrusted issuer')
  }

  return (method, request, asker) => {
    if (method.auth === 'none') return anonymous
    const authorization = request.header('authorization')
    if (method.auth === 'moderator') return moderator(method, authorization, asker)
    const token = bearerToken(authorization)
    if (token !== undefined) return verified(method, { token, request, asker })
    if (method.auth === 'optional')
      return isAdmin(operatorToken, authorization) ? operator : anonymous
    throw unauthorized('AuthMissing', 'Authentication Required')
  }
}

/**
 * An account whose token is for another service is answered as a visitor; the token is passed on.
 */
function visitorWith({ auth }: Method, token: string | undefined): Caller {
  if (auth === 'required') throw forbidden('This account has not signed in here', 'NotAMember')
  return { viewer: undefined, token }
}

/**
 * The answer to a visitor, so that whoever repeats a token learns nothing about its owner. The
 * token is not handed on again.
 */
function repeated({ auth }: Method): Caller {
  if (auth !== 'required') return anonymous
  throw forbidden('A token for another service is accepted once', 'TokenUsedBefore')
}

/** Accepts the operator's token as the password of user `admin`, as moderation services send it. */
function isAdmin(operatorToken: string | undefined, authorization = ''): boolean {
  const [, encoded] = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(authorization) ?? []
  if (operatorToken === undefined || encoded === undefined) return false
  const [user, ...password] = Buffer.from(encoded, 'base64').toString().split(':')
  return user === 'admin' && isSameSecret(password.join(':'), operatorToken)
}
