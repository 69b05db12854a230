// Who asks. The bearer token of a request is verified for the called method; what the operator's
// list of members says about the account is asked through `onViewer`.

import type { ServiceAuth } from '../identity/service-jwt.ts'
import { unauthorized } from './errors.ts'
import type { Method } from './method.ts'

export type Caller = { viewer: string | undefined; token: string | undefined }

export type Authenticate = (
  method: Method,
  authorization: string | undefined,
) => Promise<Caller> | Caller

/** Runs after a token proved good; may throw an XRPCError to turn the account away. */
export type OnViewer = (did: string) => Promise<void> | void

const anonymous: Caller = { viewer: undefined, token: undefined }

export function createAuthenticate(options: {
  serviceAuth: ServiceAuth
  onViewer?: OnViewer
}): Authenticate {
  const { serviceAuth, onViewer } = options

  async function verified(method: Method, token: string): Promise<Caller> {
    const { did } = await serviceAuth.verify(token, method.nsid, method)
    const admitted = method.forStrangers ? undefined : onViewer?.(did)
    if (admitted) await admitted
    return { viewer: did, token }
  }

  return (method, authorization) => {
    if (method.auth === 'none') return anonymous
    const token = bearerToken(authorization)
    if (token !== undefined) return verified(method, token)
    if (method.auth === 'optional') return anonymous
    throw unauthorized('AuthMissing', 'Authentication Required')
  }
}

/** Other schemes count as no token, as in the reference. */
function bearerToken(authorization: string | undefined): string | undefined {
  const scheme = authorization?.slice(0, 7).toLowerCase()
  return scheme === 'bearer ' ? authorization!.slice(7).trim() : undefined
}
