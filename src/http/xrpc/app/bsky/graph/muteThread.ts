// app.bsky.graph.muteThread: nobody in the thread makes notifications for the viewer any more.

import type { AppContext } from '../../../app-context.ts'
import { threadMute } from '../../../thread-mute.ts'

export function muteThread(serving: AppContext) {
  return threadMute(serving, { nsid: 'app.bsky.graph.muteThread', kind: 'mute-thread' })
}
