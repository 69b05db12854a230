const NOTIFIED_MS = 1_600

export function enableCopying(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copy]')) {
    button.hidden = false
    button.addEventListener('click', () => void copy(button))
  }
}

async function copy(button: HTMLButtonElement): Promise<void> {
  const code = button.previousElementSibling as HTMLElement
  const isDone = await write(code.textContent ?? '')
  if (!isDone) select(code)
  button.textContent = isDone ? 'Copied' : 'Selected'
  setTimeout(() => {
    button.textContent = 'Copy'
  }, NOTIFIED_MS)
}

/** Browsers allow clipboard access only on https and localhost. */
async function write(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

function select(code: HTMLElement): void {
  const selection = getSelection()
  selection?.selectAllChildren(code)
}
