// muteThread and unmuteThread: private state, stored here and in no repository.

import { invalidRequest } from '../../../base/atproto/xrpc-error.ts'
import type { SignedInCall } from '../call.ts'
import type { Needs } from '../define.ts'
import { checkExists } from '../naming/existing.ts'
import { isPostUri } from '../naming/post-names.ts'

const MAX_THREAD_MUTES = 20_000

type Dependencies = Needs<'actors' | 'lookups' | 'muteCounts' | 'resolver' | 'writer'>

/** Passes the change on to the ingest thread. */
export function notifiesThread(kind: 'mute-thread' | 'unmute-thread') {
  return async (app: Dependencies, call: SignedInCall<unknown, { root: string }>) => {
    const { viewer, input } = call
    const uri = input.root
    if (!isPostUri(uri)) throw invalidRequest('The root of a thread is a post')
    await checkExists(app, uri.split('/')[2]!, { by: call, refusal: 'Post not found' })
    if (kind === 'mute-thread' && app.muteCounts.threads(viewer.uid) >= MAX_THREAD_MUTES) {
      throw invalidRequest(`At most ${MAX_THREAD_MUTES} threads can be muted`)
    }
    await app.writer.send({ kind, did: viewer.did, root: uri })
    return { body: undefined }
  }
}
