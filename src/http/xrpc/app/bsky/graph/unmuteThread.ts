// app.bsky.graph.unmuteThread.

import type { AppContext } from '../../../app-context.ts'
import { threadMute } from '../../../thread-mute.ts'

export function unmuteThread(serving: AppContext) {
  return threadMute(serving, { nsid: 'app.bsky.graph.unmuteThread', kind: 'unmute-thread' })
}
