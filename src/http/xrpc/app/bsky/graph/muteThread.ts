// app.bsky.graph.muteThread: the thread no longer notifies the viewer.

import { procedure } from '../../../define.ts'
import { notifiesThread } from '../../../private/thread-mute.ts'

export const muteThread = procedure('app.bsky.graph.muteThread', {}, notifiesThread('mute-thread'))
