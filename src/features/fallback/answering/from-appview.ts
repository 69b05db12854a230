// What a public AppView knows, as a part of our answers.

import type { AppContext } from '../../../http/xrpc/app-context.ts'
import type { Elsewhere } from '../../../http/xrpc/elsewhere.ts'
import type { Fallback } from '../appview/fallback.ts'
import type { Counted } from '../counts/counted.ts'
import { answeredByFallback } from './answered-by-fallback.ts'
import type { FallbackContext } from './context.ts'
import { postsFromFallback } from './posts-from-fallback.ts'

/** @param parts - of one serving thread, which has one context */
export function fromAppview(parts: {
  fallback: Fallback
  /** Without it there are no earlier counts. */
  counted?: Counted | undefined
}): Elsewhere {
  let context: FallbackContext | undefined
  const inside = (app: AppContext): FallbackContext => {
    context ??= { ...app, ...parts }
    return context
  }
  return {
    postsRead: parts.counted?.postsRead,
    around: (app, method, answer) => answeredByFallback(inside(app), method, answer),
    posts: (own, call, uris) => postsFromFallback({ ...own, ...parts }, call, uris),
  }
}
