// Lines in a timeline where the server knows that posts are missing (io.slipstream.feed.getTimelineGaps). A line
// goes when the gap is closed, and what came meanwhile is put in its place.

import { ask } from '../page/api.ts'
import { el } from '../page/dom.ts'
import { clock } from '../page/locale.ts'
import { t } from '../page/words.ts'
import type { Position } from './place.ts'

type Gap = { from?: string; to: string; did?: string }
type Row = { position: Position; node: HTMLElement }
type Line = { node: HTMLElement; from: number; to: number }

const LOOK_EVERY_MS = 10_000
const CLOSED_PRESENTED_MS = 6_000

export function watchGaps(parts: {
  list: HTMLElement
  rows: readonly Row[]
  fill(between: { over: Position | undefined; under: Position | undefined }): Promise<void>
}) {
  const { list, rows, fill } = parts
  const lines = new Map<string, Line>()

  async function look(): Promise<void> {
    const oldest = rows.at(-1)
    if (!oldest || !list.isConnected) return
    const since = new Date(oldest.position.ms).toISOString()
    const { gaps } = await ask<{ gaps: Gap[] }>('io.slipstream.feed.getTimelineGaps', { since })
    const open = new Map(gaps.map((gap) => [`${gap.from ?? ''} ${gap.to} ${gap.did ?? ''}`, gap]))
    for (const [key, gap] of open) if (!lines.has(key)) add(key, gap, oldest.position.ms)
    for (const [key, line] of lines) if (!open.has(key)) await close(key, line)
  }

  function add(key: string, gap: Gap, oldestMs: number): void {
    const [from, to] = [
      gap.from === undefined ? oldestMs : Date.parse(gap.from),
      Date.parse(gap.to),
    ]
    const node = el('li', { class: 'gap', role: 'status' }, t('gap', wordsOf(from, to)))
    const below = rows.find(({ position }) => position.ms <= to)
    if (below) below.node.before(node)
    else list.append(node)
    lines.set(key, { node, from, to })
  }

  async function close(key: string, { node, from, to }: Line): Promise<void> {
    lines.delete(key)
    await fill({
      over: rows.findLast(({ position }) => position.ms > to)?.position,
      under: rows.find(({ position }) => position.ms < from)?.position,
    })
    node.textContent = t('gapClosed', wordsOf(from, to))
    setTimeout(() => node.remove(), CLOSED_PRESENTED_MS)
  }

  const timer = setInterval(() => {
    if (document.visibilityState === 'visible') void look().catch(() => {})
  }, LOOK_EVERY_MS)
  return { look: () => look().catch(() => {}), dispose: () => clearInterval(timer) }
}

function wordsOf(from: number, to: number): { from: string; to: string } {
  return { from: clock(new Date(from)), to: clock(new Date(to)) }
}
