// Methods that show things by key: those that are not here come from elsewhere, and stand where they were
// asked for.

import { parseRecordUri } from '../../base/atproto/at-uri.ts'
import type { Lack } from '../../sources/appview/coverage.ts'
import { isObject, type Json } from '../../sources/appview/json.ts'
import { ownerOf } from '../../sources/appview/our-word.ts'
import type { Method, MethodContext } from '../server/method.ts'
import type { AppContext } from '../xrpc/app-context.ts'
import { askFallback } from './asked.ts'
import { plainBody } from './outcome.ts'

type ByKeys = Extract<Lack, { about: 'keys' }>

const POST = 'app.bsky.feed.post'
const MAX_ASKED = 25

export function missingKeys(serving: AppContext, method: Method, lack: ByKeys): Method['handler'] {
  return async (context) => {
    const result = await method.handler(context)
    const keys = [...new Set(context.params[lack.param] as string[])]
    const body = result.body as Json
    const missing = missingOf(serving, keys, body[lack.field], lack)
      // Nobody else has to know who reads here.
      .filter((key) => context.viewer === undefined || !key.includes(context.viewer))
      .slice(0, MAX_ASKED)
    if (missing.length === 0) return result
    const theirs = await found(serving, method.nsid, { context, lack, missing })
    if (theirs.size === 0) return result
    const own = (plainBody(result)[lack.field] as Json[]).map((view) => [keyOf(view, lack), view])
    const views = new Map([...theirs, ...(own as [string, Json][])])
    const inOrder = keys.map((key) => views.get(key)).filter(isObject)
    return { ...result, body: { ...body, [lack.field]: inOrder } }
  }
}

async function found(
  serving: AppContext,
  nsid: string,
  { context, lack, missing }: { context: MethodContext; lack: ByKeys; missing: string[] },
): Promise<Map<string, Json>> {
  const params = { ...context.params, [lack.param]: missing }
  const answer = await askFallback(serving, context, { nsid, params })
  const views = (answer?.[lack.field] ?? []) as Json[]
  const byKey = views.map((view) => [keyOf(view, lack), view] as const)
  return new Map(byKey.filter(([key]) => missing.includes(key)))
}

/** What we know of, but don't show, is not missing. */
function missingOf(
  { postsByUri }: AppContext,
  keys: string[],
  views: unknown,
  lack: ByKeys,
): string[] {
  if (keys.some((key) => parseRecordUri(key)?.collection === POST)) {
    const rows = postsByUri(keys)
    return keys.filter(
      (key) => parseRecordUri(key)?.collection === POST && (rows.get(key)?.is ?? 'stub') === 'stub',
    )
  }
  const own = Array.isArray(views) ? views.map((view: Json) => keyOf(view, lack)) : keys
  return keys.filter((key) => !own.includes(key))
}

function keyOf(view: Json, { key }: ByKeys): string {
  return key === 'uri' ? String(view['uri']) : ownerOf(view)
}
