import { procedure } from '../../../define.ts'
import { toldOfThread } from '../../../private/thread-mute.ts'

export const unmuteThread = procedure(
  'app.bsky.graph.unmuteThread',
  {},
  toldOfThread('unmute-thread'),
)
