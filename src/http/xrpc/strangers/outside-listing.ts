// Pages of a stranger's collection, listed by their PDS while a member waits, in the PDS's own order
// (docs/OTHER-PDS.md). Nothing of them is stored, since nothing would keep it up to date; a page is remembered
// for as long as it takes to show it.

import { MINUTE_MS } from '../../../base/util/durations.ts'
import { isObject } from '../../../base/util/json-object.ts'
import { LruMap } from '../../../base/util/lru.ts'
import { inTurn } from '../../../base/util/turn.ts'
import { readSafeJson } from '../../server/input.ts'
import type { Call } from '../call.ts'
import type { NamedActor } from '../naming/actor-names.ts'
import { askPds, type Outside, unreachable } from './outside-pds.ts'

export type OutsidePage = {
  /** At-URIs and values of the records; the values as they are. */
  records: { uri: string; value: Record<string, unknown> }[]
  /** Undefined on the last page. */
  cursor: string | undefined
}

type OutsideListing = {
  /** @throws XRPCError UpstreamFailure, RateLimitExceeded */
  page(
    repo: NamedActor,
    range: { collection: string; limit: number; cursor: string | undefined },
    call: Pick<Call, 'signal' | 'who' | 'time'>,
  ): Promise<OutsidePage>
}

const LIST = 'com.atproto.repo.listRecords'
const MAX_REMEMBERED = 200
const REMEMBERED_FOR_MS = MINUTE_MS
const MAX_CURSOR = 1_024

export function createOutsideListing(parts: Outside, now: () => number = Date.now): OutsideListing {
  const listed = new LruMap<string, { page: OutsidePage; at: number }>(MAX_REMEMBERED)
  return {
    async page(repo, { collection, limit, cursor }, { signal, who, time }) {
      const query = new URLSearchParams({ repo: repo.did, collection, limit: String(limit) })
      if (cursor !== undefined) query.set('cursor', cursor)
      const path = `${LIST}?${query}`
      const before = listed.get(path)
      if (before && now() - before.at < REMEMBERED_FOR_MS) return before.page
      const response = await askPds(parts, repo, { path, signal, who, time })
      const body = response?.status === 200 ? response.body : undefined
      const request = { repo, collection, cursor }
      const page = body && (await inTurn({ time }, () => readPage(body, request)))
      if (!page) throw unreachable(repo)
      listed.set(path, { page, at: now() })
      return page
    },
  }
}

function readPage(
  body: Buffer,
  request: { repo: NamedActor; collection: string; cursor: string | undefined },
): OutsidePage | undefined {
  const answer = readSafeJson(body)
  if (!isObject(answer) || !Array.isArray(answer['records'])) return undefined
  const prefix = `at://${request.repo.did}/${request.collection}/`
  const records = answer['records'].flatMap((item: unknown) => {
    if (!isObject(item) || !isObject(item['value'])) return []
    const { uri, value } = item
    return typeof uri === 'string' && uri.startsWith(prefix) ? [{ uri, value }] : []
  })
  const { cursor } = answer
  const leadsOn =
    typeof cursor === 'string' &&
    cursor !== '' &&
    cursor.length <= MAX_CURSOR &&
    cursor !== request.cursor &&
    answer['records'].length > 0
  return { records, cursor: leadsOn ? cursor : undefined }
}
