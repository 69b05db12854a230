// The content of a change: a line of JSON, page numbers of four bytes, then the pages.

import type { ChangedPages } from '../store/changed-pages.ts'

type ChangeHead = {
  run: string
  seq: number
  /** When the state was read; our clock, milliseconds. */
  at: number
  pageSize: number
  /** Length of the database in pages. */
  count: number
}

type Change = {
  head: ChangeHead
  /** Calls `write` for each page. */
  forEach(write: (page: number, bytes: Buffer) => void): void
}

const NUMBER_BYTES = 4

export function writeChange(
  head: ChangeHead,
  numbers: readonly number[],
  pages: Pick<ChangedPages, 'read'>,
): Buffer {
  const { pageSize } = head
  const line = Buffer.from(`${JSON.stringify({ ...head, pages: numbers.length })}\n`)
  const content = Buffer.alloc(line.length + numbers.length * (NUMBER_BYTES + pageSize))
  line.copy(content)
  const pagesAt = line.length + NUMBER_BYTES * numbers.length
  numbers.forEach((number, i) => {
    content.writeUInt32LE(number, line.length + NUMBER_BYTES * i)
    const at = pagesAt + i * pageSize
    pages.read(number, content.subarray(at, at + pageSize))
  })
  return content
}

/** @throws Error if the content is cut */
export function readChange(content: Buffer): Change {
  const end = content.indexOf('\n')
  const { pages, ...head } = JSON.parse(content.toString('utf8', 0, end)) as ChangeHead & {
    pages: number
  }
  const listAt = end + 1
  const pagesAt = listAt + NUMBER_BYTES * pages
  if (content.length !== pagesAt + pages * head.pageSize) throw new Error('the change is cut')
  return {
    head,
    forEach(write) {
      for (let i = 0; i < pages; i++) {
        const at = pagesAt + i * head.pageSize
        const number = content.readUInt32LE(listAt + NUMBER_BYTES * i)
        write(number, content.subarray(at, at + head.pageSize))
      }
    },
  }
}
