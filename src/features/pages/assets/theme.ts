// Applies the page's colour scheme: the system's, or the one chosen here. Runs before the first paint, to
// avoid flashing, and therefore imports nothing.

const THEMES = ['system', 'light', 'dark'] as const

const saved = () => localStorage.getItem('theme') ?? 'system'

function applyTheme(theme: string): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
  const button = document.getElementById('theme')
  button?.setAttribute('aria-label', `Colours: ${theme}`)
  button?.setAttribute('title', `Colours: ${theme}`)
  dispatchEvent(new Event('themechange'))
}

applyTheme(saved())

addEventListener('DOMContentLoaded', () => {
  const button = document.getElementById('theme')!
  button.hidden = false
  applyTheme(saved())
  button.addEventListener('click', () => {
    const at = THEMES.indexOf(saved() as (typeof THEMES)[number])
    const next = THEMES[(at + 1) % THEMES.length]!
    localStorage.setItem('theme', next)
    applyTheme(next)
  })
})
