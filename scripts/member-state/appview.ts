// An AppView as reached through the member's own PDS: a session by app password, and calls that the PDS signs
// and forwards to the service named in `atproto-proxy`. https://atproto.com/specs/xrpc#service-proxying

export type AppView = {
  did: string
  get(nsid: string, query?: Record<string, string>): Promise<Answer>
  post(nsid: string, input: unknown): Promise<void>
}

export type Answer = Record<string, unknown>

const TIMEOUT_MS = 30_000
const MAX_PAGES = 1_000

/**
 * @param appView - for example `did:web:api.bsky.app#bsky_appview`
 * @throws Error with a message for the user of the script
 */
export async function signIn(options: {
  pds: string
  identifier: string
  password: string
  appView: string
}): Promise<AppView> {
  const { pds, identifier, password, appView } = options
  const session = await call(pds, 'com.atproto.server.createSession', {
    body: { identifier, password },
  })
  const headers = {
    authorization: `Bearer ${session['accessJwt']}`,
    'atproto-proxy': appView.includes('#') ? appView : `${appView}#bsky_appview`,
  }
  return {
    did: String(session['did']),
    get: (nsid, query) => call(pds, nsid, { headers, query }),
    post: async (nsid, input) => void (await call(pds, nsid, { headers, body: input })),
  }
}

/** Fetches all pages. */
export async function allOf<T>(appView: AppView, nsid: string, field: string): Promise<T[]> {
  const all: T[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await appView.get(nsid, { limit: '100', ...(cursor && { cursor }) })
    all.push(...(page[field] as T[]))
    const next = page['cursor'] as string | undefined
    if (!next || next === cursor) return all
    cursor = next
  }
  throw new Error(`${nsid}: paging does not end`)
}

async function call(
  pds: string,
  nsid: string,
  request: { headers?: Record<string, string>; query?: Record<string, string>; body?: unknown },
): Promise<Answer> {
  const { headers = {}, query = {}, body } = request
  const url = new URL(`/xrpc/${nsid}`, pds)
  url.search = new URLSearchParams(query).toString()
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const text = await response.text()
  if (response.ok) return text === '' ? {} : JSON.parse(text)
  throw new Error(`${nsid}: ${response.status} ${text.slice(0, 200)}`)
}
