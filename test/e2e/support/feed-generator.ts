// A standalone feed generator: a did:web with its document, and getFeedSkeleton over HTTP. It returns the
// configured posts to any caller with a token addressed to it.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Ref } from './account.ts'

export type FeedGenerator = {
  did: string
  gives(posts: readonly Ref[]): void
  /** Claims of the received tokens, in order. */
  claims: { iss: string; aud: string; lxm: string }[]
  stop(): Promise<void>
}

export async function startFeedGenerator(): Promise<FeedGenerator> {
  let posts: readonly Ref[] = []
  const claims: FeedGenerator['claims'] = []
  const server = createServer((request, response) => {
    const answer = (body: unknown) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(body))
    }
    if (request.url === '/.well-known/did.json') return answer(documentOf(port()))
    const token = request.headers.authorization?.split(' ')[1]?.split('.')[1] ?? ''
    claims.push(JSON.parse(Buffer.from(token, 'base64url').toString() || '{}'))
    answer({ feed: posts.map(({ uri }) => ({ post: uri, feedContext: 'because' })), cursor: 'end' })
  })
  const port = () => (server.address() as AddressInfo).port
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  return {
    did: didAt(port()),
    claims,
    gives(next) {
      posts = next
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function didAt(port: number): string {
  return `did:web:localhost%3A${port}`
}

function documentOf(port: number) {
  const serviceEndpoint = `http://localhost:${port}`
  return {
    '@context': ['https://www.w3.org/ns/did/v1'],
    id: didAt(port),
    service: [{ id: '#bsky_fg', type: 'BskyFeedGenerator', serviceEndpoint }],
  }
}
