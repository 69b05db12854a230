// Record keys as text, for statements that give a great many of them: a Buffer of eight bytes costs
// the driver several times what the same key in hexadecimal digits does, and leaves work for the
// garbage collector.

import { tidOf } from '../keys.ts'

/** SQL for a packed record key as text: digits, or what is text already behind a dot. */
export function rkeyText(column: string): string {
  return `CASE typeof(${column}) WHEN 'blob' THEN hex(${column}) ELSE '.' || ${column} END`
}

/** The record key itself. */
export function rkeyOfText(text: string): string {
  if (text.startsWith('.')) return text.slice(1)
  return tidOf(parseInt(text.slice(0, 8), 16), parseInt(text.slice(8), 16))
}
