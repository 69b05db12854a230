// The operator's token, and what is asked with it. It stays in this tab: sessionStorage is gone with
// it, is sent nowhere by itself, and there are no cookies that another site could make use of.

const KEY = 'operator-token'
const ANSWER_WITHIN_MS = 30_000

/** The server answered, and not with what was asked for. */
export class AnsweredError extends Error {}
export class RefusedError extends AnsweredError {}

export function operatorToken(): string | undefined {
  return sessionStorage.getItem(KEY) ?? undefined
}

export function rememberToken(token: string): void {
  sessionStorage.setItem(KEY, token)
}

export function forgetToken(): void {
  sessionStorage.removeItem(KEY)
}

/**
 * @throws RefusedError where the token is not the operator's; AnsweredError with words for people where something else is
 * wrong with what was asked; Error where there is no answer
 */
export async function askAsOperator<T>(
  what: string,
  query: Record<string, string | undefined> = {},
): Promise<T> {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const search = new URLSearchParams(given as [string, string][])
  const response = await fetch(`/explore/api/${what}?${search}`, {
    headers: { authorization: `Bearer ${operatorToken() ?? ''}` },
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  })
  if (response.status === 401) throw new RefusedError('This is not the operator’s token.')
  const body = (await response.json()) as T & { message?: string }
  if (!response.ok)
    throw new AnsweredError(body.message ?? 'Something went wrong here. Try again in a moment.')
  return body
}
