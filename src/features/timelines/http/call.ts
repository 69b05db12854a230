// One call to the timelines service: an authenticated caller and the timelines that it names.

import type { Answer } from '../../../http/server/http-answer.ts'
import type { HttpRequest } from '../../../http/server/http-request.ts'
import type { TimelineKey } from '../sources/timeline-key.ts'
import type { Asker } from './access.ts'

export type Call = {
  request: HttpRequest
  asker: Asker
  keys: TimelineKey[]
  key: string
}

export type Handler = (call: Call) => Promise<Answer> | Answer
