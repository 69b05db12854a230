// HTML as tagged templates: what is put in is escaped, unless it is HTML itself; lists are joined, and
// what is undefined or false is left out.

export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Value = string | number | Html | undefined | false | readonly Value[]

export function html(texts: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(texts.reduce((all, text, i) => all + shown(values[i - 1]) + text))
}

function shown(value: Value): string {
  if (value === undefined || value === false) return ''
  if (value instanceof Html) return value.text
  if (typeof value === 'object') return value.map(shown).join('')
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
