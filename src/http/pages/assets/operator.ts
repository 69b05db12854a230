// The operator's token, and what is asked with it. It stays in this tab: sessionStorage is gone with
// it, is sent nowhere by itself, and there are no cookies that another site could make use of.

const KEY = 'operator-token'

export class RefusedError extends Error {}

export function operatorToken(): string | undefined {
  return sessionStorage.getItem(KEY) ?? undefined
}

export function rememberToken(token: string): void {
  sessionStorage.setItem(KEY, token)
}

export function forgetToken(): void {
  sessionStorage.removeItem(KEY)
}

/** @throws RefusedError where the token is not the operator's; Error with words for people else. */
export async function askAsOperator<T>(
  what: string,
  query: Record<string, string | undefined> = {},
): Promise<T> {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const search = new URLSearchParams(given as [string, string][])
  const response = await fetch(`/explore/api/${what}?${search}`, {
    headers: { authorization: `Bearer ${operatorToken() ?? ''}` },
  })
  if (response.status === 401) throw new RefusedError('This is not the operator’s token.')
  const body = (await response.json()) as T & { message?: string }
  if (!response.ok) throw new Error(body.message ?? 'That did not work.')
  return body
}
