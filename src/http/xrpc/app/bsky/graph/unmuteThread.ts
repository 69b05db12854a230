// app.bsky.graph.unmuteThread.

import type { Serving } from '../../../serving.ts'
import { threadMute } from '../../../thread-mute.ts'

export function unmuteThread(serving: Serving) {
  return threadMute(serving, { nsid: 'app.bsky.graph.unmuteThread', kind: 'unmute-thread' })
}
