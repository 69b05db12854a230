// Why signing in or staying signed in failed, by what the OAuth library throws: one word each, for which the
// pages have sentences.

export type Reason =
  | 'no-such-account'
  | 'not-a-name'
  | 'pds-away'
  | 'refused'
  | 'expired'
  | 'revoked'
  | 'too-narrow'
  | 'not-secure'
  | 'clock'
  | 'failed'

export class SignInError extends Error {
  readonly reason: Reason
  constructor(reason: Reason, cause?: unknown) {
    super(reason, { cause })
    this.reason = reason
  }
}

/** Names of classes are lost in minified code, so errors are known by what they say. */
export function reasonOf(error: unknown): Reason {
  if (error instanceof SignInError) return error.reason
  const texts = chainOf(error)
  const says = (pattern: RegExp) => texts.some((text) => pattern.test(text))
  if (says(/access_denied|denied by user/i) || (says(/user/i) && says(/denied|rejected/i)))
    return 'refused'
  if (says(/invalid_scope|scope/i)) return 'too-narrow'
  if (says(/invalid_grant|revoked/i)) return 'revoked'
  if (
    says(/session was deleted|was deleted by another/i) ||
    (says(/token/i) && says(/expired|refresh/i))
  )
    return 'expired'
  if (
    says(/does not resolve|resolve (handle|identity|did)|not found|no such|handle/i) &&
    !says(/fetch|network/i)
  ) {
    return 'no-such-account'
  }
  if (says(/failed to fetch|network|load failed|timed? ?out|5\d\d/i)) return 'pds-away'
  return 'failed'
}

function chainOf(error: unknown): string[] {
  const texts: string[] = []
  for (let at = error, depth = 0; at && depth < 8; depth++) {
    const item = at as { message?: string; name?: string; error?: string; cause?: unknown }
    texts.push([item.name, item.error, item.message].filter((text) => text).join(' '))
    at = item.cause
  }
  return texts
}
