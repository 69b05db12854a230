// Wraps a method so that the public AppView answers if our index does not hold the subject
// (rules.ts).

import type { MethodDefinition } from '../../../http/xrpc/define.ts'
import type { Answering } from '../../../http/xrpc/waiting/up-to-date.ts'
import { afterOurs } from './after-ours.ts'
import { completeAnswers } from './complete-answers.ts'
import type { FallbackContext } from './context.ts'
import { handleFromFallback } from './handles.ts'
import { missingKeys } from './missing-keys.ts'
import { type OwnMethod, ownMethod } from './own-method.ts'
import { manyProfiles, oneProfile } from './profiles.ts'
import { type MissingData, rules } from './rules.ts'

/** @returns undefined for methods of which the public AppView is never asked */
export function answeredByFallback(
  app: FallbackContext,
  method: MethodDefinition,
  answer: Answering,
): Answering | undefined {
  const rule = rules[method.nsid]
  return rule && answeringFor(app, ownMethod(app, method, answer), rule.missingData)
}

function answeringFor(app: FallbackContext, own: OwnMethod, missingData: MissingData): Answering {
  switch (missingData.about) {
    case 'account':
    case 'post':
    case 'record':
      return completeAnswers(app, own, missingData)
    case 'keys':
      return missingKeys(app, own, missingData)
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
