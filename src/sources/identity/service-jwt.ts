// Verifies the service-auth token that a PDS signs for its user with every proxied request, with the
// semantics and error names of @atproto/xrpc-server `verifyJwt` and the reference AppView: same order of
// checks, no leeway on `exp`, high-S signatures accepted, no replay cache, `lxm` must be the called method.
// Tokens verified a second time are cached, since a valid signature stays valid: backends reuse one many times.
// A PDS mints a token for each request, and keeping those would only make garbage that is expensive to collect.

import { isValidDid } from '@atproto/syntax'
import { LruMap } from '../../base/util/lru.ts'
import type { Asker, Resolver } from './resolver.ts'
import { SIGNATURE_BYTES, type VerifyingKey, verifyingKey } from './verifying-key.ts'

type ServiceAuthFailure =
  | 'BadJwt' // not a token
  | 'InvalidToken' // a session token of a PDS
  | 'BadJwtType' // a token for something else
  | 'JwtExpired'
  | 'BadJwtAudience' // meant for another service
  | 'BadJwtLexiconMethod' // meant for another method
  | 'BadJwtIss' // issuer can't be resolved
  | 'BadJwtSignature'
  | 'UntrustedIss' // issuer may not call this method, whichever it is

/** The token does not prove its claims; `error` is the name on the wire. */
export class ServiceAuthError extends Error {
  override name = 'ServiceAuthError'
  readonly error: ServiceAuthFailure
  constructor(error: ServiceAuthFailure, message: string) {
    super(message)
    this.error = error
  }
}

type VerifyOptions = {
  /** Values of `lxm` accepted in place of the method itself. */
  acceptsLxm?: (lxm: string) => boolean
  /** Accepts a token for any audience. */
  anyAudience?: boolean
  /** DIDs. No other issuer may call the method, or is looked up. */
  issuers?: ReadonlySet<string>
  /** On whose behalf the issuer is looked up, if necessary. */
  asker?: Asker
}

type Issuer = {
  /** `iss` without its fragment. */
  did: string
  /** The fragment of `iss`, for example `atproto_labeler`. */
  service: string | undefined
}

type Proof = Issuer & {
  /** The token is addressed to us, and for exactly this method. */
  isForUs: boolean
  /** The token is addressed to us; if not, another service has it or will get it. */
  isAddressedToUs: boolean
  /** Milliseconds since 1970. */
  expiresAt: number
}

export type ServiceAuth = {
  /**
   * Returns the issuer of `token`, used to call the method `lxm`.
   * @throws ServiceAuthError
   * @throws IdentityUnavailableError if the issuer's key can't be fetched now.
   */
  verify(token: string, lxm: string, options?: VerifyOptions): Promise<Proof>
}

type Header = { alg: 'ES256' | 'ES256K' }
type Claims = { iss: string; aud: string; exp: number; iat: number; lxm: string | undefined }
type Signed = { header: Header; message: Buffer; signature: Buffer }
type Token = { claims: Claims; signed: Signed }
type Clock = () => number
type Asking = { resolver: Pick<Resolver, 'resolve'>; asker: Asker | undefined }

const MAX_TOKEN_LENGTH = 8192
const MAX_HEADERS = 64
const MAX_REMEMBERED = 2048
const MAX_REMEMBERED_LENGTH = 1024
/** Tokens that the latest verified ones are looked up among. */
const VERIFIED_SLOTS = 1 << 11
const THREE_PARTS = /^[\w-]+\.[\w-]+\.[\w-]+$/
const MAX_LIFETIME_SECONDS = 24 * 60 * 60
const MAX_CLOCK_AHEAD_SECONDS = 5 * 60
const SESSION_TOKEN = 'at+jwt'
const OTHER_TOKENS = new Set([SESSION_TOKEN, 'refresh+jwt', 'dpop+jwt'])
const SERVICE_ID = '#bsky_appview'

/** By their encoded form: all tokens of a PDS have the same header. */
const headers = new LruMap<string, Header>(MAX_HEADERS)

/**
 * Unlike the reference, this fetches the key once more after a bad signature, so that a rotated key
 * works at once; and input that a reference would pass to its libraries (strange algorithms,
 * oversized or misencoded tokens, endless lifetimes) is refused before any lookup.
 *
 * `audiences` are DIDs; each is accepted bare and as `<did>#bsky_appview`. `now` is in
 * milliseconds.
 */
export function createServiceAuth(options: {
  resolver: Pick<Resolver, 'resolve'>
  audiences: string[]
  now?: Clock
}): ServiceAuth {
  const { resolver, now = Date.now } = options
  const audiences = new Set(options.audiences.flatMap((did) => [did, did + SERVICE_ID]))
  /** Tokens verified more than once, with the did:key that signed them. */
  const remembered = new LruMap<string, Token & { signedBy: string }>(MAX_REMEMBERED)
  const isRepeated = createRepetitions()

  return {
    async verify(token, lxm, verifyOptions = {}) {
      const known = remembered.get(token)
      const { claims, signed } = known ?? parseToken(token)
      checkTime(claims, now)
      const isOurs = audiences.has(claims.aud)
      if (!verifyOptions.anyAudience && !isOurs) {
        throw new ServiceAuthError('BadJwtAudience', 'jwt audience does not match service did')
      }
      checkLxm(claims.lxm, lxm, verifyOptions)
      const issuer = parseIssuer(claims.iss)
      if (verifyOptions.issuers?.has(issuer.did) === false) {
        throw new ServiceAuthError('UntrustedIss', 'Untrusted issuer')
      }
      const signedBy = await checkSignature({ ...signed, signedBy: known?.signedBy }, issuer, {
        resolver,
        asker: verifyOptions.asker,
      })
      const isShort = token.length <= MAX_REMEMBERED_LENGTH
      if (signedBy !== known?.signedBy && isShort && isRepeated(signed.signature)) {
        remembered.set(token, { claims, signed, signedBy })
      }
      return {
        ...issuer,
        isForUs: isOurs && claims.lxm === lxm,
        isAddressedToUs: isOurs,
        expiresAt: claims.exp * 1000,
      }
    },
  }
}

/**
 * Tells whether a signature was verified before. Each leaves four of its bytes in the slot that two others
 * name, so a repetition may go unnoticed, which costs one more verification.
 */
function createRepetitions(): (signature: Buffer) => boolean {
  const slots = new Int32Array(VERIFIED_SLOTS)
  return (signature) => {
    const mark = signature.readInt32LE(0)
    const slot = signature.readUInt16LE(4) % VERIFIED_SLOTS
    const isRepeated = slots[slot] === mark
    slots[slot] = mark
    return isRepeated
  }
}

function parseToken(token: string): Token {
  const isEncoded = token.length <= MAX_TOKEN_LENGTH && THREE_PARTS.test(token)
  if (!isEncoded) throw poorlyFormatted()
  const parts = token.split('.')
  const [header, payload, signature] = parts as [string, string, string]
  return {
    signed: {
      header: readHeader(header),
      message: Buffer.from(token.slice(0, header.length + 1 + payload.length), 'latin1'),
      signature: Buffer.from(signature, 'base64url'),
    },
    claims: parseClaims(decodeObject(payload)),
  }
}

function readHeader(encoded: string): Header {
  const known = headers.get(encoded)
  if (known) return known
  const header = parseHeader(decodeObject(encoded))
  headers.set(encoded, header)
  return header
}

function parseHeader({ typ, alg, crit }: Record<string, unknown>): Header {
  if (typeof alg !== 'string' || crit !== undefined) throw poorlyFormatted()
  if (typ === SESSION_TOKEN) throw new ServiceAuthError('InvalidToken', 'Malformed token')
  if (typeof typ === 'string' && OTHER_TOKENS.has(typ.toLowerCase())) {
    throw new ServiceAuthError('BadJwtType', `Invalid jwt type "${typ.toLowerCase()}"`)
  }
  if (alg !== 'ES256' && alg !== 'ES256K') {
    throw new ServiceAuthError('BadJwtSignature', 'could not verify jwt signature')
  }
  return { alg }
}

function parseClaims({ iss, aud, exp, iat, lxm }: Record<string, unknown>): Claims {
  if (typeof iss !== 'string' || typeof aud !== 'string') throw poorlyFormatted()
  if (!Number.isFinite(exp) || !(iat === undefined || Number.isFinite(iat))) throw poorlyFormatted()
  if (lxm !== undefined && lxm !== null && typeof lxm !== 'string') throw poorlyFormatted()
  return { iss, aud, exp: exp as number, iat: (iat ?? 0) as number, lxm: lxm ?? undefined }
}

/** No leeway on the expiry, as in the reference; the bounds on the future are our own. */
function checkTime({ exp, iat }: Claims, now: Clock): void {
  const seconds = now() / 1000
  if (seconds > exp) throw new ServiceAuthError('JwtExpired', 'jwt expired')
  if (exp > seconds + MAX_LIFETIME_SECONDS) {
    throw new ServiceAuthError('BadJwt', 'jwt expires too far in the future')
  }
  if (iat > seconds + MAX_CLOCK_AHEAD_SECONDS) {
    throw new ServiceAuthError('BadJwt', 'jwt issued in the future')
  }
}

function checkLxm(claimed: string | undefined, lxm: string, { acceptsLxm }: VerifyOptions): void {
  if (claimed === lxm || (claimed && acceptsLxm?.(claimed))) return
  const wrong = claimed === undefined ? 'missing' : 'bad'
  throw new ServiceAuthError(
    'BadJwtLexiconMethod',
    `${wrong} jwt lexicon method ("lxm"). must match: ${lxm}`,
  )
}

function parseIssuer(iss: string): Issuer {
  const [did = '', service, ...rest] = iss.split('#')
  const isFragmentGood = service === undefined || (service !== '' && rest.length === 0)
  if (!isFragmentGood || !isValidDid(did)) {
    throw new ServiceAuthError('BadJwtIss', 'jwt iss is not a valid did')
  }
  return { did, service }
}

/**
 * Checks with the cached key, and if that fails with a freshly fetched one, if it differs.
 * @returns the did:key that signed it; `signedBy` is a key already known to have signed it.
 */
async function checkSignature(
  signed: Signed & { signedBy: string | undefined },
  issuer: Issuer,
  asking: Asking,
): Promise<string> {
  if (signed.signature.length !== SIGNATURE_BYTES) {
    throw new ServiceAuthError('BadJwtSignature', 'could not verify jwt signature')
  }
  const known = await issuerKey(asking, issuer, false)
  if (known && (known === signed.signedBy || isSignedBy(signed, known))) return known
  const fresh = await issuerKey(asking, issuer, true)
  if (fresh && fresh !== known && isSignedBy(signed, fresh)) return fresh
  throw new ServiceAuthError('BadJwtSignature', 'jwt signature does not match jwt issuer')
}

async function issuerKey(
  { resolver, asker }: Asking,
  { did, service }: Issuer,
  forceRefresh: boolean,
): Promise<string | undefined> {
  const identity = await resolver.resolve(did, { forceRefresh, asker })
  if (!identity) throw new ServiceAuthError('BadJwtIss', 'identity unknown')
  return service === 'atproto_labeler' ? identity.labelKey : identity.signingKey
}

function isSignedBy({ header, message, signature }: Signed, didKey: string): boolean {
  const key = asVerifyingKey(didKey)
  return key?.alg === header.alg && key.verify(message, signature)
}

function asVerifyingKey(didKey: string): VerifyingKey | undefined {
  try {
    return verifyingKey(didKey)
  } catch {
    return undefined
  }
}

function decodeObject(part: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch {
    // falls through: without JSON it is not a token
  }
  throw poorlyFormatted()
}

function poorlyFormatted(): ServiceAuthError {
  return new ServiceAuthError('BadJwt', 'poorly formatted jwt')
}
