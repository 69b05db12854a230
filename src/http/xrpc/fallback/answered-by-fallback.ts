// Wraps a method so that the public AppView answers if our index does not hold the subject
// (sources/appview/coverage.ts). Without a configured public AppView, methods stay unchanged.

import { type Lack, rules } from '../../../sources/appview/coverage.ts'
import type { AppContext } from '../app-context.ts'
import type { MethodDefinition } from '../define.ts'
import type { Answering } from '../waiting/up-to-date.ts'
import { afterOurs } from './after-ours.ts'
import { handleFromFallback } from './handles.ts'
import { missingKeys } from './missing-keys.ts'
import { type OwnMethod, ownMethod } from './own-method.ts'
import { manyProfiles, oneProfile } from './profiles.ts'
import { wholeAnswers } from './whole-answers.ts'

export function answeredByFallback(
  app: AppContext,
  method: MethodDefinition,
  answer: Answering,
): Answering {
  const rule = rules[method.nsid]
  return rule && app.fallback
    ? answeringFor(app, ownMethod(app, method, answer), rule.lack)
    : answer
}

function answeringFor(app: AppContext, own: OwnMethod, lack: Lack): Answering {
  switch (lack.about) {
    case 'account':
    case 'post':
    case 'record':
      return wholeAnswers(app, own, lack)
    case 'keys':
      return missingKeys(app, own, lack)
    case 'search':
      return afterOurs(app, own)
    case 'profile':
      return oneProfile(app, own)
    case 'profiles':
      return manyProfiles(app, own)
    case 'handle':
      return handleFromFallback(app, own)
    case 'feed':
      // The method fills its gaps itself (posts-from-fallback.ts).
      return own.answer
  }
}
