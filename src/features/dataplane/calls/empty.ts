// Calls without data here: sitemaps, answered empty as the reference does outside Bluesky's own network, and a ping.

import { gzipSync } from 'node:zlib'
import { Code, ConnectError } from '@connectrpc/connect'
import type { Rpcs } from '../wire/messages.ts'

const EMPTY_INDEX = gzipSync(
  '<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n</sitemapindex>',
)

export function emptyRpcs(): Rpcs {
  return {
    ping: () => ({}),
    getSitemapIndex: () => ({ sitemap: EMPTY_INDEX }),
    getSitemapPage() {
      throw new ConnectError('Sitemap page not found', Code.NotFound)
    },
    getSuggestedEntities: () => ({ entities: [] }),
  }
}
