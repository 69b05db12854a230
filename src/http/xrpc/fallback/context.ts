// What handlers read with, and whom they ask.

import type { Fallback } from '../../../sources/appview/fallback.ts'
import type { AppContext } from '../app-context.ts'
import type { OwnKnowledge } from '../feeds/posts-elsewhere.ts'
import type { Counted } from '../waiting/counted.ts'

export type Asking = OwnKnowledge & { fallback: Fallback }
export type FallbackContext = AppContext & Asking & { counted?: Counted | undefined }
