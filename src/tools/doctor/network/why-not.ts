// Explains in words why there was no answer, with the usual remedy.

type WhyNot = { code: string; text: string }

const WORDS: Record<string, string> = {
  ENOTFOUND: 'its name is not in DNS',
  EAI_AGAIN: 'names can’t be looked up',
  EAI_NONAME: 'its name is not in DNS',
  ECONNREFUSED: 'it refuses the connection',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  EHOSTUNREACH: 'its address can’t be reached',
  ENETUNREACH: 'this machine has no route there',
  EADDRNOTAVAIL: 'this machine has no route there',
  ETIMEDOUT: 'it does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'it does not answer',
  TimeoutError: 'the answer takes too long',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate’s issuer is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate lacks the intermediate one',
  UNABLE_TO_GET_ISSUER_CERT: 'its certificate lacks the intermediate one',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate’s issuer is not trusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  EPROTO: 'it does not speak TLS there',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS there',
  HPE_INVALID_CONSTANT: 'it does not speak HTTP there',
}

/** For any error of a request; the innermost code counts. */
export function whyNot(error: unknown): WhyNot {
  for (let at = error as Cause | undefined, depth = 0; at && depth < 6; depth++) {
    const code = at.code ?? at.name
    const words = typeof code === 'string' ? WORDS[code] : undefined
    if (words) return { code: code as string, text: words }
    at = at.errors?.[0] ?? at.cause
  }
  const { code = '', message = String(error) } = (error ?? {}) as Cause
  return { code: String(code), text: message.slice(0, 200) }
}

type Cause = { code?: unknown; name?: unknown; message?: string; cause?: Cause; errors?: Cause[] }
