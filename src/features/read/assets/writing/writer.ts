// The way to the dialog for writing, whose files are loaded once a page is shown: nobody waits for them, and they
// are here when the server is away.

import { attempt } from '../page/toast.ts'
import type { Composing } from './compose.ts'
import type { Ref } from './records.ts'

let onPosted: (ref: Ref) => void = () => {}

export function whenPosted(listener: (ref: Ref) => void): void {
  onPosted = listener
}

let dialog: typeof import('./compose.ts') | undefined

export async function loadDialog(): Promise<void> {
  dialog ??= await import('./compose.ts')
}

/** What one can do without waiting for a file, and what an earlier page was about to do. */
export async function prepareWriting(): Promise<void> {
  const { finishDeletions } = await import('./deletions.ts')
  await loadDialog()
  await finishDeletions()
}

export function compose(how: Composing = {}): void {
  if (dialog) return dialog.showDialog(how, onPosted)
  void attempt(async () => {
    await loadDialog()
    dialog!.showDialog(how, onPosted)
  })
}
