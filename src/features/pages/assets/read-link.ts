// The reader, from the link that the operator made, and requests made with it. The link stays in this tab, as
// the operator's token does on the explore page.

const KEY = 'reading-link'

/** Accepts a whole URL, the part after its #, or the token alone. */
export function rememberLink(text: string): void {
  sessionStorage.setItem(KEY, text.trim().replace(/^.*#/, ''))
}

export function forgetLink(): void {
  sessionStorage.removeItem(KEY)
}

/** Whether anything was given, a link or not. */
export function hasText(): boolean {
  return (sessionStorage.getItem(KEY) ?? '') !== ''
}

/** The reader's DID in the link; undefined if it is none. Only the server can verify it. */
export function readerDid(): string | undefined {
  const payload = sessionStorage.getItem(KEY)?.split('.')[1]
  if (payload === undefined) return undefined
  try {
    const text = atob(payload.replaceAll('-', '+').replaceAll('_', '/'))
    const { did } = JSON.parse(text) as { did?: unknown }
    return typeof did === 'string' && did.startsWith('did:') ? did : undefined
  } catch {
    return undefined
  }
}

/** @throws Error with a readable message */
export async function ask<T>(
  method: string,
  query: Record<string, string | undefined>,
): Promise<T> {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const search = new URLSearchParams(given as [string, string][])
  const response = await fetch(`/xrpc/${method}?${search}`, {
    headers: { authorization: `Bearer ${sessionStorage.getItem(KEY) ?? ''}` },
  }).catch(() => {
    throw new Error('The server can’t be reached. Try again in a moment.')
  })
  const body = (await response.json().catch(() => ({}))) as T & { message?: string }
  if (response.ok) return body
  throw new Error(body.message ?? `The server answered with ${response.status}.`)
}
