// Feeds of a stranger, each answering page requests with its own trick, and an honest one beside them.

import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'

export const feedTricks = [
  'honest',
  'endless',
  'silent',
  'bomb',
  'crowd',
  'same',
  'cursor',
  'nonsense',
] as const

export type FeedTrick = (typeof feedTricks)[number]

export type HostileFeeds = {
  /** Sets the post that is on every page with posts. */
  show(uri: string): void
  /** @param position - index of the trick */
  answer(response: ServerResponse, position: number): void
  /** Number of requests for a page with this trick. */
  requested(trick: FeedTrick): number
}

const CROWD = 100
const SAME = 10_000
const CURSOR_LENGTH = 900_000
const PIECE_BYTES = 64 << 10
const MOST_PIECES = 1_000
const BOMB_BYTES = 64 << 20

let bomb: Buffer | undefined

/** @param nobody - returns a DID without an account, a different one each time */
export function createHostileFeeds(nobody: () => string): HostileFeeds {
  const counts = new Map<FeedTrick, number>()
  let post = ''
  const postOf = (did: string) => ({ post: `at://${did}/app.bsky.feed.post/3jzfcijpj2z2a` })

  function pageOf(trick: FeedTrick): object {
    switch (trick) {
      case 'crowd':
        return { feed: Array.from({ length: CROWD }, () => postOf(nobody())), cursor: 'more' }
      case 'same':
        return { feed: Array(SAME).fill({ post }), cursor: 'more' }
      case 'cursor':
        return { feed: [{ post }], cursor: 'c'.repeat(CURSOR_LENGTH) }
      case 'nonsense':
        return { feed: [null, { post: { toString: 1 } }], cursor: { toString: 1 } }
      default:
        return { feed: [{ post }] }
    }
  }

  return {
    show: (uri) => {
      post = uri
    },
    answer(response, position) {
      const trick = feedTricks[position]!
      counts.set(trick, (counts.get(trick) ?? 0) + 1)
      if (trick === 'silent') return
      if (trick === 'endless') return pour(response)
      if (trick === 'bomb') {
        bomb ??= gzipSync(Buffer.alloc(BOMB_BYTES, ' '))
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
        response.end(bomb)
        return
      }
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(pageOf(trick)))
    },
    requested: (trick) => counts.get(trick) ?? 0,
  }
}

function pour(response: ServerResponse): void {
  const piece = Buffer.alloc(PIECE_BYTES, ' ')
  let pieces = 0
  const more = () => {
    while (!response.destroyed && pieces++ < MOST_PIECES) if (!response.write(piece)) return
  }
  response.writeHead(200, { 'content-type': 'application/json' })
  response.on('drain', more).on('error', () => {})
  more()
}
