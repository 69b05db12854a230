// Fetches single posts from the public AppView, for pages whose other posts are ours (getFeed).

import type { JsonObject } from '../../../base/util/json-object.ts'
import type { Call } from '../../../http/xrpc/call.ts'
import { askFallback } from './ask-fallback.ts'
import type { Asking } from './context.ts'

const NSID = 'app.bsky.feed.getPosts'
/** The method's own maximum. */
const MAX_REQUESTED = 25
const MAX_QUESTIONS = 4

/** @returns views of the posts that may be shown, by at-URI */
export async function postsFromFallback(
  app: Asking,
  call: Call,
  uris: readonly string[],
): Promise<Map<string, JsonObject>> {
  if (uris.length === 0) return new Map()
  const questions: string[][] = []
  for (let i = 0; i < uris.length && questions.length < MAX_QUESTIONS; i += MAX_REQUESTED) {
    questions.push(uris.slice(i, i + MAX_REQUESTED))
  }
  const answers = await Promise.all(
    questions.map((some) => askFallback(app, call, { nsid: NSID, params: { uris: some } })),
  )
  const views = answers.flatMap((answer) => (answer?.['posts'] ?? []) as JsonObject[])
  const requested = new Set(uris)
  const byUri = views.map((view) => [String(view['uri']), view] as const)
  return new Map(byUri.filter(([uri]) => requested.has(uri)))
}
