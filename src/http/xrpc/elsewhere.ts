// What may be known elsewhere: the one place where a feature takes part in the answers of our methods. Without one,
// nobody else knows anything.

import type { Config } from '../../base/config/config.ts'
import type { Logger } from '../../base/obs/log.ts'
import type { Writer } from '../../bridge/messages.ts'
import type { Db } from '../../data/store/db.ts'
import type { Quotas } from '../../sources/quota.ts'
import type { AppContext } from './app-context.ts'
import type { MethodDefinition } from './define.ts'
import type { PostsElsewhere } from './feeds/posts-elsewhere.ts'
import type { Answering } from './waiting/up-to-date.ts'

export type Elsewhere = PostsElsewhere & {
  /** The counts of these posts (posts.id) were read; cheap. */
  postsRead?: ((ids: Iterable<number>) => void) | undefined
  /**
   * A step around our own answer to a method, which also waits for what the method is to be `ready`
   * for; undefined if the answer is only ours.
   */
  around(app: AppContext, method: MethodDefinition, answer: Answering): Answering | undefined
}

export type ElsewhereContext = {
  config: Config
  log: Logger
  /** A read-only connection. */
  db: Db
  writer: Writer
  quotas: Quotas
}
