// Events of a timeline page as a client reads them.

import {
  type DescribedEvent,
  eventJson,
} from '../../../../src/features/timelines/sources/event-json.ts'

export function entityIdOf(event: DescribedEvent): string {
  return (JSON.parse(eventJson(event)) as { entity_id: string }).entity_id
}
