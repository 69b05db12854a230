// What handlers read with, and whom they ask.

import type { AppContext } from '../../../http/xrpc/app-context.ts'
import type { OwnKnowledge } from '../../../http/xrpc/feeds/posts-elsewhere.ts'
import type { Fallback } from '../appview/fallback.ts'
import type { Counted } from '../counts/counted.ts'

export type Asking = OwnKnowledge & { fallback: Fallback }
export type FallbackContext = AppContext & Asking & { counted?: Counted | undefined }
