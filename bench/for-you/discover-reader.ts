// Reads Discover as a member, over HTTP.

import type { LiveCommunity } from '../world/live-community.ts'

const FEED = 'app.bsky.feed.getFeed'
const DISCOVER = 'at://did:plc:z72i7hdynmk6r22z27h6tvur/app.bsky.feed.generator/whats-hot'

type Page = { feed: unknown[]; cursor?: string }

/** @throws Error for any answer but a page */
export function createDiscoverReader({ app, token }: LiveCommunity, did: string) {
  return async function read(cursor: string | undefined): Promise<Page> {
    const query = new URLSearchParams({ feed: DISCOVER, limit: '50', ...(cursor && { cursor }) })
    const url = `http://127.0.0.1:${app.port}/xrpc/${FEED}?${query}`
    const response = await fetch(url, { headers: { authorization: `Bearer ${token(did, FEED)}` } })
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
    return (await response.json()) as Page
  }
}
