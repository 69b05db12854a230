// The operator's token and requests made with it. The token stays in this tab: sessionStorage ends with the
// tab and is never sent automatically, and there are no cookies that another site could abuse.

const KEY = 'operator-token'
const ANSWER_WITHIN_MS = 30_000

/** The server answered with an error. */
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
 * @throws RefusedError if the token is not the operator's; AnsweredError with a readable message if
 * something else is wrong with the request; Error if there is no answer
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
    throw new AnsweredError(body.message ?? 'Something went wrong. Try again in a moment.')
  return body
}

/**
 * Asks one of the operator's routes. @throws RefusedError; Error with a readable message
 */
export async function sendAsOperator<T>(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
): Promise<T> {
  const response = await fetch(`/operator/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${operatorToken() ?? ''}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    body: body ? JSON.stringify(body) : null,
  })
  if (response.status === 401) throw new RefusedError('This is not the operator’s token.')
  const answer = (await response.json()) as T & { message?: string; hint?: string }
  if (response.ok) return answer
  throw new Error([answer.message, answer.hint].filter((value) => value).join(' '))
}
