// Preloaded into a server: tells its parent which parts of Node it has loaded so far.

import { isMainThread } from 'node:worker_threads'

/** Not in the types of Node, which do not promise it. */
type WithList = typeof process & { moduleLoadList: readonly string[] }

if (isMainThread && process.send) {
  process.on('message', () => process.send!([...(process as WithList).moduleLoadList]))
  process.channel?.unref()
}
