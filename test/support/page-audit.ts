// Checks that run on a page inside the browser: contrast, accessible names, width. They are source text that
// the browser evaluates, since the tests' own types have no DOM.

/** Texts whose contrast with their background is too low, by WCAG 2.2 (1.4.3). */
export const lowContrasts = `(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1)
    canvas.fillStyle = colour
    canvas.fillRect(0, 0, 1, 1)
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data
    return { r, g, b, a: a / 255 }
  }
  const over = (top, under) => ({
    r: top.r * top.a + under.r * (1 - top.a),
    g: top.g * top.a + under.g * (1 - top.a),
    b: top.b * top.a + under.b * (1 - top.a),
    a: 1,
  })
  const groundOf = (element) => {
    const layers = []
    for (let at = element; at; at = at.parentElement) {
      const colour = rgba(getComputedStyle(at).backgroundColor)
      if (colour.a > 0) layers.push(colour)
      if (colour.a === 1) break
    }
    return layers.reverse().reduce((under, top) => over(top, under), { r: 255, g: 255, b: 255, a: 1 })
  }
  const light = (value) => {
    const share = value / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }
  const luminance = ({ r, g, b }) => 0.2126 * light(r) + 0.7152 * light(g) + 0.0722 * light(b)
  const ratio = (one, other) => {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b)
    return (high + 0.05) / (low + 0.05)
  }
  const low = []
  let looked = 0
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement
    const text = walker.currentNode.textContent.trim()
    if (text === '' || !element.checkVisibility() || element.closest('.unseen, .skip, svg')) continue
    looked++
    const style = getComputedStyle(element)
    const ground = groundOf(element)
    const found = ratio(over(rgba(style.color), ground), ground)
    const size = parseFloat(style.fontSize)
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700)
    if (found < (isLarge ? 3 : 4.5)) low.push(text.slice(0, 40) + ' ' + found.toFixed(2))
  }
  return looked < 20 ? ['only ' + looked + ' texts were looked at'] : low
})()`

/** Controls and pictures without a name, and other obstacles for a screen reader. */
export const unnamed = `(() => {
  const problems = []
  const nameOf = (element) =>
    element.getAttribute('aria-label') ||
    (element.getAttribute('aria-labelledby') &&
      document.getElementById(element.getAttribute('aria-labelledby'))?.textContent) ||
    [...(element.labels ?? [])].map((label) => label.textContent).join() ||
    element.textContent.trim()
  for (const element of document.querySelectorAll('button, a, input, [role=img], progress, nav, [role=group]')) {
    if (!nameOf(element)) problems.push(element.outerHTML.slice(0, 80))
  }
  for (const svg of document.querySelectorAll('svg:not([role=img])')) {
    if (svg.getAttribute('aria-hidden') !== 'true') problems.push('a picture that is read out')
  }
  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id)
  for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) problems.push('twice #' + id)
  const heads = [...document.querySelectorAll('h1')].filter((one) => one.checkVisibility())
  if (heads.length !== 1) problems.push(heads.length + ' headings of the first rank')
  if (!document.documentElement.lang || !document.querySelector('main')) problems.push('no language or main part')
  return problems
})()`

/** How far the page is wider than the screen, in pixels. */
export const overflow = 'document.documentElement.scrollWidth - innerWidth'
