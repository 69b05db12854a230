// What the serving threads ask of the writer about For You.

import type { Writer } from '../../bridge/messages.ts'

export type ForYouRequests = {
  /** Hashes of posts that the member was shown. */
  'for-you/seen': { posts: readonly number[] }
  /** How often the member has wanted less of this author (DID); from 2 on: nothing. */
  'for-you/less': { author: string; times: number }
}

export type ForYouCalls = {
  /** The member reads For You: what they liked so far connects them with others. */
  'for-you/reads': Record<string, never>
}

type ForYouMessages = ForYouRequests & ForYouCalls

export function askWriter<Kind extends keyof ForYouMessages>(
  writer: Writer,
  did: string,
  { kind, body }: { kind: Kind; body: ForYouMessages[Kind] },
): Promise<void> {
  return writer.send({ kind, did, body })
}
