// app.bsky.graph.muteThread: nobody in the thread makes notifications for the viewer any more.

import type { Serving } from '../../../serving.ts'
import { threadMute } from '../../../thread-mute.ts'

export function muteThread(serving: Serving) {
  return threadMute(serving, { nsid: 'app.bsky.graph.muteThread', kind: 'mute-thread' })
}
