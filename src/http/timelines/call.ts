// One call to the timelines service: an authenticated caller and the timelines that it names.

import type { TimelineKey } from '../../answers/timelines/timeline-key.ts'
import type { Answer } from '../server/answer.ts'
import type { HttpRequest } from '../server/http-request.ts'
import type { Asker } from './access.ts'

export type Call = {
  request: HttpRequest
  asker: Asker
  keys: TimelineKey[]
  key: string
}

export type Handler = (call: Call) => Promise<Answer> | Answer
