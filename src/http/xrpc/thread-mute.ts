// muteThread and unmuteThread: private state, kept here and in no repository.

import { invalidRequest } from '../../base/atproto/xrpc-error.ts'
import type { Method, Params } from '../server/method.ts'
import { andThen } from './actor-names.ts'
import type { AppContext } from './app-context.ts'
import { findNamedPost, isPostUri } from './post-names.ts'

export function threadMute(
  serving: AppContext,
  { nsid, kind }: { nsid: string; kind: 'mute-thread' | 'unmute-thread' },
): Method<Params, { root: string }> {
  const { actors, resolver, writer } = serving
  return {
    nsid,
    kind: 'procedure',
    auth: 'required',
    handler: async ({ viewer, input }) => {
      const { uri } = await andThen(findNamedPost(serving, input.root), (post) => post)
      if (!isPostUri(uri)) throw invalidRequest('The root of a thread is a post')
      // An account that we never heard of has to exist, or anybody could fill our tables.
      const owner = uri.split('/')[2]!
      const exists = actors.uidOf(owner) !== 0 || (await resolver.resolve(owner))
      if (!exists) throw invalidRequest('Post not found')
      await writer.send({ kind, did: viewer!, root: uri })
      return { body: undefined }
    },
  }
}
