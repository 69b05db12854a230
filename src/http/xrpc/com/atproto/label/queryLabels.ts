// com.atproto.label.queryLabels: labels on given subjects, from our own index. As in the reference, sources
// must be named, and patterns are complete DIDs and URIs.

import type { ComAtprotoLabelQueryLabels } from '@atproto/api'
import { NO_LABELERS } from '../../../../../base/atproto/labelers.ts'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import type { Call } from '../../../call.ts'
import { query } from '../../../define.ts'

/** The lexicon sets no limit; a labeler's default page has 50. */
const MAX_PATTERNS = 250
const MAX_SOURCES = 40
const URI = /^\w+:(?:\/\/)?[^\s/]\S*$/

export const queryLabels = query(
  'com.atproto.label.queryLabels',
  { auth: 'none', showsLabels: false },
  ({ hydrator }, { params, reader }: Call<ComAtprotoLabelQueryLabels.QueryParams>) => {
    const { uriPatterns, sources } = params
    if (!sources?.length) throw invalidRequest('source dids are required')
    if (uriPatterns.some((pattern) => pattern.includes('*'))) {
      throw invalidRequest('wildcards not supported')
    }
    if (!uriPatterns.every((pattern) => URI.test(pattern))) {
      throw invalidRequest('invalid uri pattern')
    }
    if (uriPatterns.length > MAX_PATTERNS || sources.length > MAX_SOURCES) {
      throw invalidRequest(`at most ${MAX_PATTERNS} uri patterns and ${MAX_SOURCES} sources`)
    }
    const labelers = { ...NO_LABELERS, dids: sources }
    const found = hydrator.labels(uriPatterns, { ...reader, labelers })
    return { body: { labels: uriPatterns.flatMap((uri) => found.get(uri)?.labels ?? []) } }
  },
)
