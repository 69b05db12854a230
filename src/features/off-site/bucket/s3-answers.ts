// Reads what S3 answers: lists of objects and errors. They are XML of a fixed form, with names that we chose,
// percent-encoded as requested.

import type { StoredObject } from './bucket.ts'
import type { Refusal } from './bucket-error.ts'

export function readList(xml: string): { objects: StoredObject[]; next: string | undefined } {
  const [, ...listed] = xml.split('<Contents>')
  const objects = listed.map((from) => {
    const [part = ''] = from.split('</Contents>', 1)
    return {
      name: decodeURIComponent(field(part, 'Key') ?? ''),
      bytes: Number(field(part, 'Size') ?? 0),
    }
  })
  const isCut = field(xml, 'IsTruncated') === 'true'
  return { objects, next: isCut ? field(xml, 'NextContinuationToken') : undefined }
}

export function readRefusal(answer: Response, body: string, now: number): Refusal {
  const date = Date.parse(answer.headers.get('date') ?? '')
  return {
    status: answer.status,
    code: field(body, 'Code') ?? '',
    message: field(body, 'Message') ?? '',
    aheadMs: Number.isNaN(date) ? undefined : date - now,
  }
}

function field(xml: string, name: string): string | undefined {
  const start = xml.indexOf(`<${name}>`)
  const end = xml.indexOf(`</${name}>`, start)
  return start < 0 || end < 0 ? undefined : unescapeXml(xml.slice(start + name.length + 2, end))
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
}

function unescapeXml(text: string): string {
  return text.replace(/&(#x?[0-9a-f]{1,6}|[a-z]{1,4});/gi, (all, name: string) => {
    if (!name.startsWith('#')) return ENTITIES[name] ?? all
    const code = name[1] === 'x' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
    return String.fromCodePoint(code)
  })
}
