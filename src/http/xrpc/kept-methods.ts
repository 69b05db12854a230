// Every method about what members keep with us besides mutes: bookmarks, drafts, preferences; and about
// what clients ask of a server before they know who is there.

import type { Method } from '../server/method.ts'
import { getActorPreferences } from './app/bsky/actor/getPreferences.ts'
import { putActorPreferences } from './app/bsky/actor/putPreferences.ts'
import { getAgeAssuranceConfig } from './app/bsky/ageassurance/getConfig.ts'
import { getState } from './app/bsky/ageassurance/getState.ts'
import { createBookmark } from './app/bsky/bookmark/createBookmark.ts'
import { deleteBookmark } from './app/bsky/bookmark/deleteBookmark.ts'
import { getBookmarks } from './app/bsky/bookmark/getBookmarks.ts'
import { createDraft } from './app/bsky/draft/createDraft.ts'
import { deleteDraft } from './app/bsky/draft/deleteDraft.ts'
import { getDrafts } from './app/bsky/draft/getDrafts.ts'
import { updateDraft } from './app/bsky/draft/updateDraft.ts'
import { getAgeAssuranceState } from './app/bsky/unspecced/getAgeAssuranceState.ts'
import type { AppContext } from './app-context.ts'

export function keptMethods(serving: AppContext): Method[] {
  return [
    createBookmark(serving),
    deleteBookmark(serving),
    getBookmarks(serving),
    createDraft(serving),
    updateDraft(serving),
    deleteDraft(serving),
    getDrafts(serving),
    getActorPreferences(serving),
    putActorPreferences(serving),
    getAgeAssuranceConfig(),
    getState(serving),
    getAgeAssuranceState(),
  ]
}
