// Puts around a method what it may be answered with where our index does not hold what it is about
// (sources/appview/coverage.ts). Without a public AppView to ask every method is as it was.

import { type Lack, rules } from '../../sources/appview/coverage.ts'
import type { Method } from '../server/method.ts'
import type { AppContext } from '../xrpc/app-context.ts'
import { afterOurs } from './after-ours.ts'
import { handleFromFallback } from './handles.ts'
import { missingKeys } from './missing-keys.ts'
import { manyProfiles, oneProfile } from './profiles.ts'
import { wholeAnswers } from './whole-answers.ts'

export function createAnsweredByFallback(serving: AppContext): (method: Method) => Method {
  return (method) => {
    const rule = rules[method.nsid]
    if (!rule) return method
    const told = { ...method, fallback: rule.when }
    return serving.fallback ? { ...told, handler: handlerFor(serving, method, rule.lack) } : told
  }
}

function handlerFor(serving: AppContext, method: Method, lack: Lack): Method['handler'] {
  switch (lack.about) {
    case 'account':
    case 'post':
    case 'record':
      return wholeAnswers(serving, method, lack)
    case 'keys':
      return missingKeys(serving, method, lack)
    case 'search':
      return afterOurs(serving, method)
    case 'profile':
      return oneProfile(serving, method)
    case 'profiles':
      return manyProfiles(serving, method)
    case 'handle':
      return handleFromFallback(serving, method)
    case 'feed':
      // The method itself fills its gaps (posts-from-fallback.ts).
      return method.handler
  }
}
