// The board's page: a line for each server in each chart, over one another, and a table for each server. It draws by
// plain DOM and SVG, and loads nothing.

export const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Simulated readers</title>
<style>
  :root { color-scheme: light dark; --one: #0969da; --two: #bc4c00; --three: #1a7f37; --four: #8250df }
  body { font: 15px system-ui, sans-serif; margin: 2rem }
  main, #charts { display: flex; flex-wrap: wrap; gap: 2rem }
  table { border-collapse: collapse; font-variant-numeric: tabular-nums }
  td, th { padding: .3rem .8rem; text-align: right; border-bottom: 1px solid #8884 }
  td:first-child, th:first-child { text-align: left }
  figure { margin: 0 }
  svg { display: block; width: 360px; height: 120px; border-bottom: 1px solid #8888; border-left: 1px solid #8888 }
  path { fill: none; stroke-width: 1.8; vector-effect: non-scaling-stroke }
  .s0 { stroke: var(--one); color: var(--one) }
  .s1 { stroke: var(--two); color: var(--two); stroke-dasharray: 7 3 }
  .s2 { stroke: var(--three); color: var(--three); stroke-dasharray: 2 3 }
  .s3 { stroke: var(--four); color: var(--four); stroke-dasharray: 9 3 2 3 }
  figcaption span { margin-right: 1rem; font-variant-numeric: tabular-nums }
  .best { font-weight: 700; color: #1a7f37 }
  .failed { color: #cf222e }
</style>
<h1>Simulated readers</h1>
<p id="head">Waiting for the first figures …</p>
<div id="charts"></div>
<main></main>
<script>
  const CHARTS = [
    ['p50', 'p50 of answers, ms'], ['p99', 'p99 of answers, ms'], ['requests', 'requests a second'],
    ['failed', 'failed a second'], ['writes', 'timeline writes a second'], ['leftOut', 'writes left out a second'],
    ['memoryMb', 'memory, MB'], ['cores', 'processor, cores'],
  ]
  const MOST = 2400
  let points = []
  const make = (tag, text, kind) => {
    const element = document.createElement(tag)
    if (text !== undefined) element.textContent = text
    if (kind) element.className = kind
    return element
  }
  const draw = (tag, attributes) => {
    const element = document.createElementNS('http://www.w3.org/2000/svg', tag)
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
    return element
  }
  const row = (tag, cells, kind) => {
    const one = make('tr', undefined, kind)
    one.append(...cells.map((cell) => make(tag, cell)))
    return one
  }
  const number = (value) =>
    value === undefined || value === null ? 'unknown' : value >= 100 ? value.toFixed(0) : value.toFixed(value < 1 ? 2 : 1)
  const lineOf = (key, server, most) => {
    const [from, to] = [points[0].seconds, points.at(-1).seconds]
    let path = ''
    for (const { seconds, servers } of points) {
      const value = servers[server][key]
      if (value === undefined || value === null) continue
      const x = to > from ? ((seconds - from) / (to - from)) * 360 : 0
      path += (path === '' ? 'M' : 'L') + x.toFixed(1) + ' ' + (118 - (value / most) * 112).toFixed(1)
    }
    return path
  }
  const chart = ([key, title], names) => {
    const values = points.flatMap(({ servers }) => servers.map((one) => one[key] ?? 0))
    const most = Math.max(...values, 1e-9)
    const figure = make('figure')
    const caption = make('figcaption', title + ' (up to ' + number(most) + ')')
    const svg = draw('svg', { viewBox: '0 0 360 120', preserveAspectRatio: 'none', role: 'img', 'aria-label': title })
    const legend = make('figcaption')
    names.forEach((name, i) => {
      svg.append(draw('path', { class: 's' + i, d: lineOf(key, i, most), 'data-chart': key }))
      legend.append(make('span', name + ' ' + number(points.at(-1).servers[i][key]), 's' + i))
    })
    figure.append(caption, svg, legend)
    return figure
  }
  const card = ({ name, methods, timelinesPerSecond, lagMs, lastFailure }) => {
    const section = make('section')
    const lag = lagMs === undefined ? 'lag unknown' : Math.round(lagMs) + ' ms behind the stream'
    const table = make('table')
    table.append(row('th', ['', 'answered', 'p50 ms', 'p99 ms', 'failed']))
    for (const [act, one] of Object.entries(methods)) {
      const times = one.count > 0 ? [one.p50.toFixed(1), one.p99.toFixed(1) + (one.isBest ? ' ✓' : '')] : ['–', '–']
      table.append(row('td', [act, one.count, ...times, one.failed], one.isBest ? 'best' : ''))
    }
    section.append(make('h2', name), make('p', timelinesPerSecond.toFixed(1) + ' timelines/s, ' + lag), table)
    if (lastFailure) section.append(make('p', lastFailure, 'failed'))
    return section
  }
  const show = ({ seconds, readers, eventsPerSecond, servers, winner, undecided }) => {
    document.getElementById('head').textContent =
      readers + ' readers, ' + Math.round(seconds) + ' s, ' + eventsPerSecond.toFixed(0) + ' events/s' +
      (winner ? '; ' + winner + ' is quicker at most' : '') + (undecided ? '; none is compared, as ' + undecided : '')
    document.querySelector('main').replaceChildren(...servers.map(card))
    const names = servers.map(({ name }) => name)
    if (points.length > 1) document.getElementById('charts').replaceChildren(...CHARTS.map((one) => chart(one, names)))
  }
  const listen = () => {
    new EventSource('/figures').onmessage = ({ data }) => {
      const { point, ...figures } = JSON.parse(data)
      if (point) points.push(point)
      if (points.length > MOST) points = points.filter((_, i) => i % 2 === 0)
      show(figures)
    }
  }
  fetch('/history').then((answer) => answer.json()).then((all) => { points = all }).finally(listen)
</script>
</html>
`
