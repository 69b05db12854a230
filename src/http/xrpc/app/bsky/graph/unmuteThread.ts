import { procedure } from '../../../define.ts'
import { notifiesThread } from '../../../private/thread-mute.ts'

export const unmuteThread = procedure(
  'app.bsky.graph.unmuteThread',
  {},
  notifiesThread('unmute-thread'),
)
