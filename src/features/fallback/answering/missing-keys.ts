// Methods that show items by key: items missing here are fetched from the public AppView and placed in the
// order of the request.

import { parseRecordUri } from '../../../base/atproto/at-uri.ts'
import { isObject, type JsonObject } from '../../../base/util/json-object.ts'
import type { Call } from '../../../http/xrpc/call.ts'
import type { Answering } from '../../../http/xrpc/waiting/up-to-date.ts'
import { ownerOf } from '../appview/our-verdict.ts'
import { askFallback } from './ask-fallback.ts'
import type { FallbackContext } from './context.ts'
import { plainBody } from './outcome.ts'
import type { OwnMethod } from './own-method.ts'
import type { MissingData } from './rules.ts'

type ByKeys = Extract<MissingData, { about: 'keys' }>

const POST = 'app.bsky.feed.post'
const MAX_REQUESTED = 25

export function missingKeys(app: FallbackContext, own: OwnMethod, missingData: ByKeys): Answering {
  return async (call) => {
    const first = await own.atOnce(call)
    const keys = [...new Set(call.params[missingData.param] as string[])]
    const missing = missingOf(app, keys, (first.body as JsonObject)[missingData.field], missingData)
      // Do not disclose who is reading here.
      .filter((key) => call.viewer === undefined || !key.includes(call.viewer.did))
      .slice(0, MAX_REQUESTED)
    if (missing.length === 0) return first
    const theirs = await found(app, own.nsid, { call, missingData, missing })
    const result = theirs.size < missing.length ? await own.answer(call.again()) : first
    if (theirs.size === 0) return result
    const body = await plainBody(result, call)
    const ours = (body[missingData.field] as JsonObject[]).map((view) => [
      keyOf(view, missingData),
      view,
    ])
    const views = new Map([...theirs, ...(ours as [string, JsonObject][])])
    const inOrder = keys.map((key) => views.get(key)).filter(isObject)
    return { ...result, body: { ...(result.body as JsonObject), [missingData.field]: inOrder } }
  }
}

async function found(
  app: FallbackContext,
  nsid: string,
  { call, missingData, missing }: { call: Call; missingData: ByKeys; missing: string[] },
): Promise<Map<string, JsonObject>> {
  const params = { ...call.params, [missingData.param]: missing }
  const answer = await askFallback(app, call, { nsid, params })
  const views = (answer?.[missingData.field] ?? []) as JsonObject[]
  const byKey = views.map((view) => [keyOf(view, missingData), view] as const)
  return new Map(byKey.filter(([key]) => missing.includes(key)))
}

/** Items that we know but do not show are not missing. */
function missingOf(
  { postsByUri }: FallbackContext,
  keys: string[],
  views: unknown,
  missingData: ByKeys,
): string[] {
  if (keys.some((key) => parseRecordUri(key)?.collection === POST)) {
    const rows = postsByUri(keys)
    return keys.filter(
      (key) => parseRecordUri(key)?.collection === POST && (rows.get(key)?.is ?? 'stub') === 'stub',
    )
  }
  const own = Array.isArray(views)
    ? views.map((view: JsonObject) => keyOf(view, missingData))
    : keys
  return keys.filter((key) => !own.includes(key))
}

function keyOf(view: JsonObject, { key }: ByKeys): string {
  return key === 'uri' ? String(view['uri']) : ownerOf(view)
}
