// app.bsky.graph.muteThread: nobody in the thread makes notifications for the viewer any more.

import { procedure } from '../../../define.ts'
import { toldOfThread } from '../../../thread-mute.ts'

export const muteThread = procedure('app.bsky.graph.muteThread', {}, toldOfThread('mute-thread'))
