// Further fields for a ready object.

import { byteText } from '../../answers/views/ready-json.ts'

/** @param text - byte text of an object with at least one field; `fields` are none of its own. */
export function withFields(text: string, fields: object): string {
  const more = byteText(fields)
  return more === '{}' ? text : `${text.slice(0, -1)},${more.slice(1)}`
}
